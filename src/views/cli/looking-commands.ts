/**
 * What looks at runs and steers them, loaded together: opening many small files at every start
 * costs more than the code that one command does not need.
 */
export { answerCommand } from './control/answer.js';
export { diffCommand } from './inspect/diff.js';
export { explainCommand } from './analyze/explain.js';
export { exportCommand } from './analyze/export.js';
export { extensionsIn } from './control/extensions.js';
export { listCommand } from './inspect/list.js';
export { logsCommand } from './inspect/logs.js';
export { pruneCommand } from './clean-up/prune.js';
export { runAndText } from './control/run-and-text.js';
export { runFolderOf } from '../../app/run-folder.js';
export { showCommand } from './inspect/show.js';
export { statsCommand } from './analyze/stats.js';
export { statusCommand } from './inspect/status.js';
export { steerCommand } from './control/steer-run.js';
export { waitCommand } from './inspect/wait.js';
export { watchCommand } from './inspect/watch.js';
export { tuneCommand } from './analyze/tune.js';
