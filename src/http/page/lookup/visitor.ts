/** Finds out whether a result is about the visitor's own address: the browser does not keep such a result. */
import { parseAddress, unmapped } from '../../../core/address.ts';
import { reverseZoneName } from '../../../lookups/dns/name.ts';

/** `value`: what a lookup returned, and `json` the same as text. True also for a text that only contains the address. */
export function isAboutVisitor(value: object, json: string, ip: string | null): boolean {
  const parsed = parseAddress(ip ?? '');
  if (ip === null || parsed === null) return false;
  const address = unmapped(parsed);
  if (json.includes(ip) || json.includes(reverseZoneName(address))) return true;
  const { startAddress = null, endAddress = null } = 'summary' in value ? (value.summary as AddressRange) : {};
  const first = parseAddress(startAddress ?? '');
  const last = parseAddress(endAddress ?? '');
  if (first?.version !== address.version || last?.version !== address.version) return false;
  return first.bits <= address.bits && address.bits <= last.bits;
}

/** The range of addresses in a network's registration. */
interface AddressRange {
  readonly startAddress?: string | null;
  readonly endAddress?: string | null;
}
