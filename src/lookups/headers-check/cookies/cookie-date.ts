/** The date of a cookie's Expires, which browsers read in almost any form (RFC 6265 §5.1.1). */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Everything but letters, digits, the colon and what is not ASCII. */
const delimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;
/** A date has eight tokens at most; a longer text is not one. */
const maxTokens = 20;

/** Milliseconds since the Unix epoch; null if browsers cannot read the date, and then ignore it. */
export function parseCookieDate(text: string): number | null {
  let time: readonly number[] | null = null;
  let day: number | null = null;
  let month: number | null = null;
  let year: number | null = null;
  for (const token of text.split(delimiters, maxTokens)) {
    const [, ...clock] = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/.exec(token) ?? [];
    const [, number] = /^(\d{1,4})(?!\d)/.exec(token) ?? [];
    const named = months.indexOf(token.slice(0, 3).toLowerCase());
    if (time === null && clock.length > 0) time = clock.map(Number);
    else if (day === null && number !== undefined && number.length <= 2) day = Number(number);
    else if (month === null && named !== -1) month = named;
    else if (year === null && number !== undefined && number.length >= 2) year = Number(number);
  }
  if (time === null || day === null || month === null || year === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = time;
  const fullYear = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year;
  if (fullYear < 1601 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const date = new Date(Date.UTC(fullYear, month, day, hours, minutes, seconds));
  // A day that the month does not have is in the next one.
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : null;
}
