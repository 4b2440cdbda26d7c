/** From the weakest to the strongest: what comes later wins. */
export const ORIGIN_SOURCES = ['default', 'user-file', 'project-file', 'code', 'environment', 'flag'] as const;

export type OriginSource = (typeof ORIGIN_SOURCES)[number];

/** Who set a value. */
export interface Origin {
  readonly source: OriginSource;
  /** `pawl.yaml:3:5`, `PAWL_MAX_COST`, `--max-cost`; of a default, why it applies where that needs saying. */
  readonly place?: string;
}

/** By key path of the effective config, such as `session.timeout` or `stop.limits[0]`. */
export type Origins = Readonly<Record<string, Origin>>;
