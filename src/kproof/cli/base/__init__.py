"""What the rooms of the command line share: options, output, exit statuses, help."""
