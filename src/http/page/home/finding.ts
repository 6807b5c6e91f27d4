/** What a test of the page found, in words: for the page's script, and for the terminal. */

export interface Finding {
  readonly label: string;
  readonly text: string;
  /** What it means, or usual reasons; empty for nothing to add. */
  readonly detail: string;
  /** IP addresses that it is about. */
  readonly addresses?: readonly string[];
}

/** All findings as one text, for screen readers. */
export const summarize = (findings: readonly Finding[]): string =>
  findings.map(({ label, text }) => `${label}: ${text}.`).join(' ');
