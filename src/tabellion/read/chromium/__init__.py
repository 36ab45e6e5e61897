"""Web pages as Chromium draws them: the process, its tabs, and snapshots of boxes and words. Start with `rendered`."""
