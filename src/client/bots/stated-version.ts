/** The version that a bot, tool or library states after its name. */

const version = /^[^;()]{0,40}?[/ (]v?(\d[\w.+-]{0,40})/;

/** Returns it as the User-Agent states it; null if there is none, or if the name is not in the User-Agent. */
export function statedVersion(raw: string, name: string): string | null {
  const at = raw.toLowerCase().indexOf(name.toLowerCase());
  if (at < 0) return null;
  const end = at + name.length;
  return version.exec(raw.slice(end, end + 100))?.[1] ?? null;
}
