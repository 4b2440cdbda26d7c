/** From the weakest to the strongest: what comes later wins. `code` stands alone. */
export type OriginSource = 'default' | 'user-file' | 'project-file' | 'environment' | 'flag' | 'code';

/** Who set a value. */
export interface Origin {
  readonly source: OriginSource;
  /** `pawl.yaml:3:5`, `PAWL_MAX_COST`, `--max-cost`; of a default, why it applies where that needs saying. */
  readonly place?: string;
}

/** By key path of the effective config, such as `session.timeout` or `stop.limits[0]`. */
export type Origins = Readonly<Record<string, Origin>>;
