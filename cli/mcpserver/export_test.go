package mcpserver

// Update reports whether golden files are to be rewritten.
func Update() bool { return *update }
