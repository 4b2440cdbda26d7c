/** What begins runs, continues with them and prepares them, loaded together as what looks at them is. */
export { approveCommand } from './control/approve.js';
export { checkConfig } from './get-started/check.js';
export { showDemo } from './get-started/demo.js';
export { doctorCommand } from './get-started/doctor.js';
export { initCommand } from './get-started/init.js';
export { pipelineRunCommand } from './run/pipeline-run.js';
export { replayCommand } from './analyze/replay.js';
export { restoreCommand } from './clean-up/restore.js';
export { resumeAllCommand } from './run/resume-all.js';
export { checkResumeFlags } from './run/resume-flags.js';
export { resumeCommand } from './run/resume.js';
export { printSchema } from './get-started/schema.js';
