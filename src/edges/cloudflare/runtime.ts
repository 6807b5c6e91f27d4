/** Types of the Workers runtime that the web lacks; only those in use. */

/** https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties, where no member's type is reliable. */
export type IncomingCf = Readonly<Record<string, unknown>>;

export interface IncomingRequest extends Request {
  /** Absent in the preview of the dashboard. */
  readonly cf?: IncomingCf;
}

export interface Context {
  /** Lets work continue after the response. */
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

/** Bindings and variables of `wrangler.jsonc`, all optional. */
export interface Environment {
  readonly RATE_GENERAL?: RateLimit;
  readonly RATE_LOOKUP?: RateLimit;
  readonly RATE_TOOLS?: RateLimit;
  readonly RATE_MESSAGES?: RateLimit;
  /** Version of the deployment. */
  readonly VERSION?: { readonly id: string };
  readonly CALLS?: AnalyticsEngineDataset;
  readonly [variable: string]: unknown;
}

/** The part of the Cache API that is used. */
export interface RegistryCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}
