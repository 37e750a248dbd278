package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
	"dev.lithos/store/files/filestest"
)

// fixture is the path of a store as the first program of a schema wrote it.
func fixture(schema int) string {
	return filepath.Join("testdata", fmt.Sprintf("schema-%d.db", schema))
}

// copyFixture puts a fixture where it can be changed.
func copyFixture(t testing.TB, schema int) string {
	t.Helper()
	content, err := os.ReadFile(fixture(schema))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lithos.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMigrate_everySchemaHasItsFixture keeps the promise that a store of any
// schema can be brought up to date: whoever adds a migration adds a store of
// the schema before it, written by the program before it, and its export.
func TestMigrate_everySchemaHasItsFixture(t *testing.T) {
	for schema := 1; schema < SchemaVersion; schema++ {
		for _, name := range []string{fixture(schema), strings.TrimSuffix(fixture(schema), ".db") + ".jsonl"} {
			if info, err := os.Stat(name); err != nil || info.Size() == 0 {
				t.Errorf("migration %d needs %s, made by the last program before it", schema+1, name)
			}
		}
	}
}

// backupBeside takes a real backup.
func backupBeside(path string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		b, err := TakeBackup(ctx, BackupOptions{Path: path, Folder: "backups", Now: time.Unix(1_800_000_000, 0)})
		return b.Path, err
	}
}

// prints is what every table of a store holds that schema 1 has.
func prints(t testing.TB, path string) []print {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	s.anySchema = true
	var list []print
	read(t, s, func(tx *tx) (err error) {
		list, err = tx.takePrints()
		return err
	})
	return list
}

func versionOf(t testing.TB, path string) (version int64) {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	s.anySchema = true
	read(t, s, func(tx *tx) (err error) {
		version, err = tx.number("PRAGMA user_version")
		return err
	})
	return version
}

// same holds that a store has at least the tables of before, unchanged.
func same(t testing.TB, path string, before []print) {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	s.anySchema = true
	read(t, s, func(tx *tx) error { return tx.matchPrints(before) })
}

func TestMigrate(t *testing.T) {
	for schema := 1; schema < SchemaVersion; schema++ {
		t.Run(fmt.Sprint(schema), func(t *testing.T) {
			path := copyFixture(t, schema)
			before := prints(t, path)
			var phases []string
			done, err := Migrate(t.Context(), MigrateOptions{
				Path: path, Backup: backupBeside(path),
				Progress: func(phase string, done, total int64) {
					phases = append(phases, fmt.Sprintf("%s %d/%d", phase, done, total))
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if done.From != int64(schema) || done.To != SchemaVersion || done.Rows < 100 || filepath.Dir(done.Backup) != filepath.Join(filepath.Dir(path), "backups") {
				t.Errorf("the migration is %+v", done)
			}
			if !slices.Contains(phases, "migrating 4/5") {
				t.Errorf("the progress was %q", phases)
			}
			same(t, path, before)
			if found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: epoch}); err != nil || found.Schema != SchemaVersion || found.Failed(CheckIntegrity) || found.Failed(CheckReadiness) || found.Failed(CheckForeignKeys) {
				t.Errorf("afterwards: %+v (%v)", found, err)
			}
			if got, want := schemaOf(t, path), schemaOf(t, createdFresh(t)); got != want {
				t.Errorf("the schema is\n%s\nand that of a new store\n%s", got, want)
			}
			// The backup is the store as it was.
			if n := versionOf(t, done.Backup); n != int64(schema) {
				t.Errorf("the backup has the schema %d", n)
			}
			same(t, done.Backup, before)
			// It works as a store does.
			s := openWith(t, Options{Path: path})
			write(t, s, func(tx *tx) error { _, err := tx.SeeAgent("x", epoch); return err })
			again, err := Migrate(t.Context(), MigrateOptions{Path: path, Backup: func(context.Context) (string, error) {
				t.Error("a store that is up to date was backed up")
				return "", nil
			}})
			if want := (Migration{From: SchemaVersion, To: SchemaVersion}); err != nil || again != want {
				t.Errorf("again: %+v (%v)", again, err)
			}
		})
	}
}

// createdFresh is the path of a new store.
func createdFresh(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fresh.db")
	if err := createAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// schemaOf is every table and index of a store.
func schemaOf(t testing.TB, path string) string {
	t.Helper()
	var all strings.Builder
	read(t, openWith(t, Options{Path: path, ReadOnly: true}), func(tx *tx) error {
		return tx.each("SELECT type, name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name", func(r *row) error {
			fmt.Fprintln(&all, r.text(0), r.text(1), r.text(2))
			return nil
		})
	})
	return all.String()
}

// TestMigrate_steps lets each step of a migration fail, and calls it off at
// each: the store stays as it was until the commit, and is then done.
func TestMigrate_steps(t *testing.T) {
	for _, name := range []string{"began", "backed up", "read", "changed", "checked", "committed"} {
		for _, way := range []string{"fails", "is called off"} {
			path := copyFixture(t, 1)
			before := prints(t, path)
			ctx, cancel := context.WithCancel(t.Context())
			cause := errors.New("no")
			err := migrateForTest(ctx, path, files.Disk{Before: func(step files.Step) error {
				if step.Action != files.Reach || step.Path != name {
					return nil
				}
				if way == "fails" {
					return cause
				}
				cancel()
				return nil
			}})
			cancel()
			want := int64(1)
			if name == "committed" || err == nil {
				want = SchemaVersion
			}
			// Called off at the very end it may still be done.
			if (err == nil) != (want == SchemaVersion) || err == nil && name != "committed" && name != "checked" {
				t.Errorf("%s %s: %v", name, way, err)
			}
			if n := versionOf(t, path); n != want {
				t.Errorf("%s %s: the schema is %d", name, way, n)
			}
			same(t, path, before)
		}
	}
}

// migrateForTest migrates to the schema of this program from the first.
func migrateForTest(ctx context.Context, path string, disk files.Disk) error {
	_, err := Migrate(ctx, MigrateOptions{Path: path, Files: disk, Backup: backupBeside(path)})
	return err
}

// TestMigrate_refused holds that a migration that cannot be done leaves the
// store as it was.
func TestMigrate_refused(t *testing.T) {
	t.Run("newer", func(t *testing.T) {
		path := copyFixture(t, 1)
		change(t, path, fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion+1))
		err := migrateForTest(t.Context(), path, files.Disk{})
		failure(t, err, core.CodeSchemaMismatch, map[string]any{"found": int64(SchemaVersion + 1), "direction": "newer"})
		if n := versionOf(t, path); n != SchemaVersion+1 {
			t.Errorf("the schema is %d", n)
		}
	})
	t.Run("foreign", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "other.db")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		change(t, path, "CREATE TABLE tasks (id TEXT)")
		unavailable(t, migrateForTest(t.Context(), path, files.Disk{}), ReasonNotADatabase)
	})
	t.Run("missing", func(t *testing.T) {
		unavailable(t, migrateForTest(t.Context(), filepath.Join(t.TempDir(), "none.db"), files.Disk{}), ReasonMissing)
	})
	t.Run("damaged", func(t *testing.T) {
		path := copyFixture(t, 1)
		change(t, path, "PRAGMA ignore_check_constraints = ON; UPDATE tasks SET tags = 'x' WHERE seq = 1")
		before := prints(t, path)
		err := migrateForTest(t.Context(), path, files.Disk{})
		unavailable(t, err, ReasonCorrupt)
		if !strings.Contains(err.Error(), "the step 'integrity' found what is wrong. The table tasks holds values that its rules forbid. It is as it was, and so is the backup '") {
			t.Errorf("it says %v", err)
		}
		if n := versionOf(t, path); n != 1 {
			t.Errorf("the schema is %d", n)
		}
		same(t, path, before)
	})
	t.Run("without a backup", func(t *testing.T) {
		path := copyFixture(t, 1)
		cause := errors.New("no")
		_, err := Migrate(t.Context(), MigrateOptions{Path: path, Backup: func(context.Context) (string, error) { return "", cause }})
		if !errors.Is(err, cause) || versionOf(t, path) != 1 {
			t.Errorf("the error is %v, the schema %d", err, versionOf(t, path))
		}
	})
	t.Run("read-only", func(t *testing.T) {
		path := copyFixture(t, 1)
		s := openWith(t, Options{Path: path})
		failure(t, s.Read(t.Context(), func(core.ReadTx) error { return nil }), core.CodeSchemaMismatch, map[string]any{"direction": "older"})
		failure(t, s.Write(t.Context(), func(core.WriteTx) error { return nil }), core.CodeSchemaMismatch, map[string]any{"direction": "older"})
	})
}

// TestMigrate_readiness holds that a stored frontier that is wrong is made
// anew rather than carried over.
func TestMigrate_readiness(t *testing.T) {
	path := copyFixture(t, 1)
	change(t, path, "UPDATE open_tasks SET hard = 1 - hard WHERE task_type = 0")
	if err := migrateForTest(t.Context(), path, files.Disk{}); err != nil {
		t.Fatal(err)
	}
	s := openWith(t, Options{Path: path})
	if differences, err := s.CheckFrontier(t.Context()); err != nil || len(differences) > 0 {
		t.Errorf("the frontier differs: %v (%v)", differences, err)
	}
}

func init() {
	roles["migrate"] = func(args []string) error {
		at, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return migrateForTest(context.Background(), args[0], filestest.KillAt(at).Disk())
	}
}

// TestMigrate_killed kills a migration at each of its steps: what is left is
// the old store or the new one, whole, and migrating again does the rest.
func TestMigrate_killed(t *testing.T) {
	steps := filestest.None()
	if err := migrateForTest(t.Context(), copyFixture(t, 1), steps.Disk()); err != nil {
		t.Fatal(err)
	}
	names := steps.Steps()
	if len(names) < 6 {
		t.Fatalf("the steps are %v", names)
	}
	for at, step := range names {
		path := copyFixture(t, 1)
		before := prints(t, path)
		killed(t, "migrate", path, strconv.Itoa(at))
		want := int64(1)
		if step.Path == "committed" {
			want = SchemaVersion
		}
		if n := versionOf(t, path); n != want {
			t.Errorf("killed at %q: the schema is %d", step.Path, n)
		}
		same(t, path, before)
		if err := migrateForTest(t.Context(), path, files.Disk{}); err != nil {
			t.Errorf("killed at %q, then again: %v", step.Path, err)
		}
		same(t, path, before)
	}
}

// killed runs a role that is to be killed on its way.
func killed(t testing.TB, role string, args ...string) {
	t.Helper()
	a := actAs(t, role, args...)
	a.start(t)
	if err := a.cmd.Wait(); err == nil || a.cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("it was not killed: %v, %s", err, a.output.String())
	}
}

// TestMigrate_beside holds that programs of the old schema, and of the new one,
// that have the store open find it changed, and never a part of the change.
func TestMigrate_beside(t *testing.T) {
	path := copyFixture(t, 1)
	waiting := openWith(t, Options{Path: path, LongLived: true})
	failure(t, waiting.Read(t.Context(), func(core.ReadTx) error { return nil }), core.CodeSchemaMismatch, map[string]any{"direction": "older"})
	old := openWith(t, Options{Path: path})
	old.anySchema = true
	seen := func() (version int64, notes int64) {
		read(t, old, func(tx *tx) (err error) {
			if version, err = tx.number("PRAGMA user_version"); err == nil {
				notes, err = tx.number("SELECT count(*) FROM sqlite_schema WHERE name = 'notes'")
			}
			return err
		})
		return version, notes
	}
	_, err := Migrate(t.Context(), MigrateOptions{
		Path: path, Backup: backupBeside(path),
		Files: files.Disk{Before: func(step files.Step) error {
			if step.Path == "checked" {
				if version, notes := seen(); version != 1 || notes != 0 {
					t.Errorf("ahead of the commit others see schema %d, %d tables of notes", version, notes)
				}
			}
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if version, notes := seen(); version != SchemaVersion || notes != 1 {
		t.Errorf("afterwards others see schema %d, %d tables of notes", version, notes)
	}
	if err := waiting.Read(t.Context(), func(core.ReadTx) error { return nil }); err != nil {
		t.Errorf("a program that was refused is still refused: %v", err)
	}
}
