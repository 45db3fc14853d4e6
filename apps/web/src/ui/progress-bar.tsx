/** Progress from 0 to 1. */
interface ProgressBarProps {
  readonly label: string;
  readonly value: number;
  readonly tone?: 'accent' | 'warn';
  readonly className?: string;
}

export function ProgressBar({ label, value, tone = 'accent', className = 'w-full' }: ProgressBarProps) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={`h-1 overflow-hidden rounded-full bg-pressed ${className}`}
    >
      <div
        className={`h-full rounded-full transition-[width] duration-(--calm) ${tone === 'warn' ? 'bg-warn' : 'bg-accent'}`}
        style={{ width: `${percent}%` }}
      />
    </div>
  );
}
