/** Progress of a download or conversion: a moving bar on a terminal, one line per tenth elsewhere. */

/** The stream that progress is written to; `isTTY` is true for a terminal. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export interface ProgressBar {
  /** Shows the bytes received; `totalBytes` is null if the server does not state it. */
  show(file: string, receivedBytes: number, totalBytes: number | null): void;
  /** Ends the line of a bar that was shown. */
  end(): void;
}

const barWidth = 30;
const stepBytes = 10_000_000;

export function createProgressBar(out: ProgressStream): ProgressBar {
  const steps = out.isTTY ? 100 : 10;
  let lastStep = -1;
  return {
    show: (file, receivedBytes, totalBytes) => {
      const step =
        totalBytes === null ? Math.floor(receivedBytes / stepBytes) : Math.floor((receivedBytes / totalBytes) * steps);
      if (step === lastStep) return;
      lastStep = step;
      const bar = totalBytes === null ? '' : `${barOf(receivedBytes / totalBytes)} `;
      const line = `${file} ${bar}${(receivedBytes / 1e6).toFixed(1)} MB`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    end: () => {
      if (out.isTTY && lastStep !== -1) out.write('\n');
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(share, 1) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
