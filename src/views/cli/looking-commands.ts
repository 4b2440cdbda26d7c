/**
 * What looks at runs and steers them, loaded together: opening many small files at every start
 * costs more than the code that one command does not need.
 */
export { answerCommand } from './answer.js';
export { diffCommand } from './diff.js';
export { explainCommand } from './explain.js';
export { exportCommand } from './export.js';
export { extensionsIn } from './extensions.js';
export { listCommand } from './list.js';
export { logsCommand } from './logs.js';
export { pruneCommand } from './prune.js';
export { runAndText } from './run-and-text.js';
export { runFolderOf } from './run-folder.js';
export { showCommand } from './show.js';
export { statsCommand } from './stats.js';
export { statusCommand } from './status.js';
export { steerRun } from './steer-run.js';
export { waitCommand } from './wait.js';
export { watchCommand } from './watch.js';
export { tuneCommand } from './tune.js';
