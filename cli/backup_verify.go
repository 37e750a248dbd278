package cli

import "os"

func backupVerify() *command {
	return &command{
		name: "verify", summary: "prove that a backup is whole",
		details: "Checks the file from end to end and compares it with its manifest, where it has one: length,\n" +
			"schema, rows, SHA-256. Backups of other schemas can be verified too. FILE may be a name that\n" +
			"'lithos backup list' gives.",
		arguments: []argument{{name: "FILE", parameter: "file", optional: true, completes: fileNames}},
		examples:  []string{`lithos backup verify "$(lithos backup take --jq .path)"`},
		unbounded: true,
		run: func(c *call) error {
			path := c.backupFile()
			if path == "" {
				c.refuse(c.noBackupNamed())
			}
			if c.invalid != nil {
				return c.invalid
			}
			ctx, cancel := c.bounded()
			defer cancel()
			bar := c.progress("Verifying")
			backup, err := c.env.VerifyBackup(ctx, VerifyOptions{Path: path, Files: c.env.Files, Progress: bar.tell})
			bar.end()
			if err != nil {
				return err
			}
			c.tellWithoutManifest(backup)
			return c.show(backup, func(p *page) { p.backup("Whole:", backup) })
		},
	}
}

// tellWithoutManifest tells people that a backup could only be compared with
// itself.
func (c *call) tellWithoutManifest(b Backup) {
	if _, err := os.Lstat(b.Path + ".json"); err != nil && !c.globals.quiet {
		c.say("lithos: The backup has no manifest; it was checked by itself alone.")
	}
}
