// What the faults are steered with; see faultvfs_linux.go.

enum fault_call {
  FAULT_OPEN,
  FAULT_STAT,
  FAULT_READ,
  FAULT_WRITE,
  FAULT_SYNC,
  FAULT_TRUNCATE,
  FAULT_LOCK,
  FAULT_MAP,
  FAULT_DELETE,
  FAULT_CALLS
};

int fault_install(void);
void fault_arm(int call, long nth, int number, int forever);
long fault_disarm(void);
void fault_sleeps(int on);
long fault_count(int call);
