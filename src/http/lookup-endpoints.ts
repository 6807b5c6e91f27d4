/** Endpoints of lookups: for programs, and as pages for people, with the report about a domain and the field that finds the right lookup. */
import { parseAddress, withoutBrackets } from '../core/address.ts';
import { ServiceError } from '../core/errors.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { domainParameter, domainParts, lookups, portCheck } from '../lookups/list.ts';
import { isOfferedBy, type Lookup, type LookupParameters, needsAddressData } from '../lookups/lookup.ts';
import { isOwnRequest } from '../lookups/outbound.ts';
import type { PortCheck } from '../lookups/port/port-check.ts';
import { definer, type Endpoint, generalRates, lookupRates } from './endpoint.ts';
import { pageInstead, recognize, reportPage, searchLabel, searchPath } from './page/lookup/navigation.ts';
import {
  type Outcome,
  renderLookupPage,
  renderReportError,
  renderReportPage,
  renderResult,
  renderSearchPage,
} from './page/lookup/page.ts';
import { lookupPageOf } from './page/lookup/pages.ts';
import { checkLookupsLeft, describeTooMany } from './page/lookup/report.ts';
import { isAboutVisitor } from './page/lookup/visitor.ts';
import {
  hasNoOrigin,
  isFromOtherOrigin,
  isOwnRequestOfVisitor,
  isPrefetch,
  rejectOtherOrigins,
} from './request-origin.ts';

const queryOf = ({ observed }: RequestContext) => new URLSearchParams(observed.query);

async function lookUp(lookup: Lookup, sent: LookupParameters, context: RequestContext): Promise<object> {
  rejectOwnRequest(context);
  return lookup.lookUp(sent, context);
}

/** A request of the service itself: the target was this service under another name. */
function rejectOwnRequest({ observed }: RequestContext): void {
  if (isOwnRequest(observed.headers)) throw new ServiceError('invalid_target');
}

function endpointOf(lookup: Lookup): Endpoint {
  const { path, summary, schema } = lookup;
  const json = async (context: RequestContext) => toJson(await lookUp(lookup, queryOf(context), context));
  return { kind: 'lookup', path, summary, rates: lookupRates, schema, lookup, ...offerOf(lookup), render: { json } };
}

/** Without databases of IP addresses, another page responds; without certificates, none does. */
const offerOf = (lookup: Lookup) =>
  lookup.readsCertificates ? { isOffered: (deployment: Deployment) => isOfferedBy(lookup, deployment) } : {};

/** Whether a request runs a check of its client's port. */
export const runsPortCheck = (context: RequestContext): boolean =>
  offersPortCheck(context.deployment) && context.observed.method !== 'HEAD' && !isFromOtherOrigin(context);

const offersPortCheck = ({ probes }: Deployment): boolean => probes?.portCheck === true;

/** The rules for every request for a port check, also in the form of another service. */
export const portCheckAccess = {
  rates: lookupRates,
  ratesOf: (context: RequestContext) => (runsPortCheck(context) ? lookupRates : generalRates),
  errors: ['cross_origin'],
  isOffered: offersPortCheck,
} as const;

/** Rejects with the errors of the lookup. */
export async function checkClientPort(sent: LookupParameters, context: RequestContext): Promise<PortCheck> {
  rejectOwnRequest(context);
  return portCheck.lookUp(sent, context);
}

const portCheckEndpoint: Endpoint = {
  ...endpointOf(portCheck),
  ...portCheckAccess,
  render: {
    async json(context) {
      rejectOtherOrigins(context);
      return runsPortCheck(context) ? toJson(await checkClientPort(queryOf(context), context)) : '';
    },
  },
};

/** The action that a page may take for a request with these values. */
function stageOf(values: readonly string[], context: RequestContext) {
  if (values.every((value) => value === '')) return 'empty';
  if (context.observed.method === 'HEAD') return 'waiting';
  if (!isOwnRequestOfVisitor(context)) return hasNoOrigin(context) ? 'unknown' : 'waiting';
  return isPrefetch(context) ? 'early' : 'lookup';
}

/** The form of a lookup, and its result if the visitor requested it. */
function pageOf(lookup: Lookup, summary: string): Endpoint {
  const { path } = lookupPageOf(lookup);
  const { parameter, options, complete = (typed) => typed } = lookup;
  const names = [parameter, ...options].map(({ name }) => name);
  const valuesOf = (context: RequestContext) => {
    const sent = [...queryOf(context)].filter(([name]) => names.includes(name));
    const read = sent.map(([name, value]) => [name, name === parameter.name ? complete(value.trim()) : value]);
    return new URLSearchParams(read);
  };
  const insteadOf = (context: RequestContext) => pageInstead(lookup, valuesOf(context), context.deployment);
  const render = (context: RequestContext, outcome: Outcome): string =>
    renderLookupPage(lookup, outcome, { values: valuesOf(context), site: context });
  const stageAt = (context: RequestContext) => {
    const stage = stageOf(valuesOf(context).getAll(parameter.name), context);
    // The browser has kept what this URL showed.
    return queryOf(context).has('shown') && (stage === 'lookup' || stage === 'early') ? 'shown' : stage;
  };
  return {
    kind: 'page',
    path,
    summary,
    rates: lookupRates,
    ratesOf: (context) => (stageAt(context) === 'lookup' && insteadOf(context) === null ? lookupRates : generalRates),
    ...(needsAddressData(lookup) && { redirectTo: insteadOf }),
    errors: ['not_shown'],
    lookup,
    ...offerOf(lookup),
    render: {
      html: (context, { remaining }) => {
        const stage = stageAt(context);
        // The browser sends the request again when it shows the page.
        if (stage === 'early') throw new ServiceError('not_shown');
        if (stage !== 'lookup') return render(context, { kind: stage });
        return lookUp(lookup, valuesOf(context), context).then((value) => {
          const { asn } = context.observed.autonomousSystem;
          const result = renderResult(lookup, value, { nowMs: context.platform.now(), asn });
          const json = JSON.stringify(value, null, 2);
          const isOwn = isAboutVisitor(value, json, context.observed.ip);
          return render(context, { kind: 'result', result, json, left: remaining, isAboutVisitor: isOwn });
        });
      },
    },
    renderError: ({ code, message }, context) => {
      const isLimited = code === 'rate_limited' && stageAt(context) === 'lookup';
      return render(context, { kind: 'error', code, message: isLimited ? describeTooMany(context) : message });
    },
  };
}

const parameterOf = (context: RequestContext, name: string) => queryOf(context).get(name)?.trim() ?? '';

const definePage = definer({ kind: 'page', rates: generalRates });

export const lookupEndpoints: readonly Endpoint[] = [
  ...lookups.map(endpointOf),
  portCheckEndpoint,
  ...lookups.map((lookup) => pageOf(lookup, `Web page of ${lookup.path}: ${lookupPageOf(lookup).title}`)),
  ...domainParts.map((part) => pageOf(part, `Part of /lookup/domain: ${lookupPageOf(part).title}`)),
  {
    ...definePage(searchPath, 'Redirects to the lookup page for a domain, URL, IP address, CIDR block or AS number', {
      html: (context) => renderSearchPage('', null, context),
    }),
    errors: ['invalid_query', 'invalid_url', 'blocked_address'],
    parameters: [{ name: 'q', description: searchLabel, example: 'example.com' }],
    redirectTo: (context) => {
      const typed = parameterOf(context, 'q');
      return typed === '' ? null : recognize(typed, context.deployment);
    },
    renderError: (error, context) => renderSearchPage(parameterOf(context, 'q'), error, context),
  },
  {
    ...definePage(reportPage.path, `${reportPage.description}; each part is a lookup`, {
      html: (context) => {
        const name = parameterOf(context, 'name');
        const stage = stageOf([name], context);
        // The browser has kept what this URL showed, or requests only parts of it.
        const isShown = queryOf(context).has('shown');
        if (stage === 'early' && !isShown) throw new ServiceError('not_shown');
        if (stage === 'lookup' && !isShown) checkLookupsLeft(context);
        return renderReportPage(name, stage === 'early' ? 'lookup' : stage, context);
      },
    }),
    errors: ['invalid_query', 'not_shown'],
    parameters: [domainParameter],
    // Its lookup is the report about an address.
    redirectTo: (context) => {
      const name = parameterOf(context, 'name');
      return parseAddress(withoutBrackets(name)) === null ? null : recognize(name, context.deployment);
    },
    renderError: (error, context) => renderReportError(parameterOf(context, 'name'), error, context),
  },
];
