package files

import "os"

// MakeTemporaryFolder makes a new folder for the owner alone in the system's
// for temporary files. The last * in the pattern stands for something random.
func (d Disk) MakeTemporaryFolder(pattern string) (path string, err error) {
	if err := d.before(MakeFolder, pattern, ""); err != nil {
		return "", err
	}
	return os.MkdirTemp("", pattern)
}

// RemoveAll removes a folder with all that is in it, in one step.
func (d Disk) RemoveAll(path string) error {
	if err := d.before(Remove, path, ""); err != nil {
		return err
	}
	return os.RemoveAll(path)
}
