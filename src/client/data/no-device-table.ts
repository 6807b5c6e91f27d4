/** The table of devices in a Worker, whose size is limited: none; see docs/deploy/cloudflare.md. */

export const readDeviceTable = (): string => '';
