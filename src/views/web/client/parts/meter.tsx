/** From here on a limit is near. */
const NEAR = 0.8;

interface MeterProps {
  readonly label: string;
  /** From 0 to 1; undefined when it is unknown. */
  readonly progress: number | undefined;
  readonly kind: string;
  readonly isMet?: boolean;
}

/** How far something is on its way to being met. */
export function Meter({ label, progress, kind, isMet = false }: MeterProps) {
  const part = Math.min(1, Math.max(0, progress !== undefined && Number.isFinite(progress) ? progress : 0));
  const near = kind !== 'goal' && (part >= NEAR || isMet) ? ' near' : '';
  return (
    <div
      className={`meter kind-${kind}${near}${progress === undefined ? ' unknown' : ''}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
    >
      <div className="meter-fill" style={{ transform: `scaleX(${part})` }} />
    </div>
  );
}
