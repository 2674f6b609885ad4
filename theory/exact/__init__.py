"""Numbers as they were typed, balls that contain them, and decimals rounded outward."""
