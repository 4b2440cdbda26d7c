import { extname } from 'node:path';
import { ConfigError } from '../../../model/errors.js';

export const EXPORT_FORMATS = ['json', 'jsonl', 'csv', 'markdown', 'html'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const BY_ENDING: Readonly<Record<string, ExportFormat>> = {
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
};

export interface FormatRequest {
  readonly format?: ExportFormat | undefined;
  readonly json?: boolean | undefined;
  readonly file?: string | undefined;
}

/** The format that is asked for, by name or by the ending of the file. Throws ConfigError. */
export function exportFormat({ format, json, file }: FormatRequest): ExportFormat {
  if (format === undefined) return json === true ? 'json' : (BY_ENDING[extname(file ?? '').toLowerCase()] ?? 'json');
  if (json !== true || format === 'json') return format;
  throw new ConfigError([{ path: '', place: '--json', message: `--format says ${format}: use only one of them` }]);
}
