"""The judge: what a reader of a published file learns of people, and whether it may leave."""
