/** What begins runs, goes on with them and prepares them, loaded together as what looks at them is. */
export { manifestSchema, stateSchema } from '../../pipeline/schemas.js';
export { approveCommand } from './approve.js';
export { checkConfig } from './check.js';
export { showDemo } from './demo.js';
export { doctorCommand } from './doctor.js';
export { initCommand } from './init.js';
export { pipelineRunCommand } from './pipeline-run.js';
export { pipelineValidateCommand } from './pipeline-validate.js';
export { replayCommand } from './replay.js';
export { restoreCommand } from './restore.js';
export { resumeAllCommand } from './resume-all.js';
export { checkResumeFlags } from './resume-flags.js';
export { resumeCommand } from './resume.js';
export { printSchema } from './schema.js';
