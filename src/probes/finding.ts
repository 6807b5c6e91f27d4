/** A finding of a test in words: for the page's script, and for the terminal. */

export interface Finding {
  readonly label: string;
  readonly text: string;
  /** Meaning or usual reasons; may be empty. */
  readonly detail: string;
  /** IP addresses that it is about. */
  readonly addresses?: readonly string[];
}

/** All findings as one text, for screen readers. */
export const summarize = (findings: readonly Finding[]): string =>
  findings.map(({ label, text }) => `${label}: ${text}.`).join(' ');
