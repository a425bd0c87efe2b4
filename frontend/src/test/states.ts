import type { JobState, TaskState } from "../api/types";

/** Written out for tests; the type makes a state that is new in the schema fail the build here. */
const JOB: Record<JobState, true> = {
  held: true,
  blocked: true,
  pending: true,
  starting: true,
  running: true,
  stopping: true,
  succeeded: true,
  failed: true,
  cancelled: true,
  skipped: true,
};
const TASK: Record<TaskState, true> = {
  pending: true,
  starting: true,
  running: true,
  stopping: true,
  succeeded: true,
  failed: true,
  cancelled: true,
};

export const JOB_STATES = Object.keys(JOB) as JobState[];
export const TASK_STATES = Object.keys(TASK) as TaskState[];
