package pauses

// #include "pauses_linux.h"
import "C"

import (
	"sync"

	_ "github.com/mattn/go-sqlite3" // brings the engine that the C code talks to
)

// Shorten shortens the pauses of every connection made from now on by this
// process. Where the engine does not let itself be told it goes on as it is.
var Shorten = sync.OnceFunc(func() { C.pauses_shorten() })
