/** What Workers add to the types of the web, as far as it is used here. */

/** https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties, where every member is to be doubted. */
export type IncomingCf = Readonly<Record<string, unknown>>;

export interface IncomingRequest extends Request {
  /** Absent in the dashboard's preview. */
  readonly cf?: IncomingCf;
}

export interface Context {
  /** Lets work go on after the answer. */
  waitUntil(work: Promise<unknown>): void;
}

export interface RateLimit {
  limit(call: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

export interface AnalyticsEngineDataset {
  writeDataPoint(point: {
    readonly indexes: readonly string[];
    readonly blobs: readonly string[];
    readonly doubles: readonly number[];
  }): void;
}

/** Bindings and variables of `wrangler.jsonc`; all may be left out. */
export interface Environment {
  readonly RATE_GENERAL?: RateLimit;
  readonly RATE_LOOKUP?: RateLimit;
  /** Of this deployment. */
  readonly VERSION?: { readonly id: string };
  readonly CALLS?: AnalyticsEngineDataset;
  readonly [variable: string]: unknown;
}

/** The part of the Cache API that is used. */
export interface RegistryCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}
