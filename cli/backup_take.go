package cli

func backupTake() *command {
	return &command{
		name: "take", summary: "back the store up",
		details: "The copy is of one moment, while others go on. It is proved by reading it back, and its name\n" +
			"tells when it was taken, in UTC, and the schema.",
		flags:     []flag{{name: "to", value: "DIR", completes: fileNames, summary: "folder for the backup", fallback: "backups/ beside the store"}},
		examples:  []string{"lithos backup take", "lithos backup take --to /tmp/lithos-backups --jq .path"},
		unbounded: true,
		run: func(c *call) error {
			folder, err := c.backupFolder(wordOr(c.word("to"), ""))
			if c.invalid != nil {
				err = c.invalid
			}
			if err != nil {
				return err
			}
			ctx, cancel := c.bounded()
			defer cancel()
			backup, err := c.takeBackup(ctx, folder)
			if err != nil {
				return err
			}
			c.tellLackingNotes(backup)
			return c.show(backup, func(p *page) { p.backup("Backed up to", backup) })
		},
	}
}
