"""What each row of a grid is for, and the frames among them. `label_grid` enters the room."""
