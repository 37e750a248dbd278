// Shortens the engine's pauses; see pauses_linux.c.

int pauses_shorten(void);
