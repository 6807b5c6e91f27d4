/** Divides the memory of the machine or cgroup at the start: the limits of the processes, and the threads that fit. */
import { totalmem } from 'node:os';

const mebibyte = 2 ** 20;

/**
 * Memory without mapped files of a process with one thread, and of each further one, some of it for requests: without databases, 47 and 44
 * MiB at the start, 38 for each thread from the third on.
 */
const startMb = 72;
const threadMb = 48;
/** Memory of the process for HTTP/3: 36 MiB at the start, and 80 KB for each connection. */
const http3StartMb = 48;
/** For connections and requests, if nothing limits memory. */
const reserveMb = 952;
/** Part of a cgroup's limit that the processes leave free: for buffers of the kernel, mapped files, and peaks between two checks. */
const shareOfCgroup = 0.75;
/** Part of a machine's memory that the processes leave free, because it may have other work. */
const shareOfMachine = 0.5;

/** The memory that the settings need. */
export interface MemoryNeeds {
  /** THREADS; `auto` takes as many threads as fit, at most `cores`. */
  readonly threads: number | 'auto';
  readonly cores: number;
  /** MAX_MEMORY in MiB; 0: no limit, null: derived here. */
  readonly maxMemory: number | null;
  readonly hasHttp3: boolean;
  /** Databases that are read into memory, in MiB, with those of updates. */
  readonly databasesMb: number;
  /** Whether GEOIP_AUTO_UPDATE is on. */
  readonly hasUpdates: boolean;
}

/** In MiB; `cgroup` is null without a limit. */
interface AvailableMemory {
  readonly machine: number;
  readonly cgroup: number | null;
}

export interface MemoryPlan {
  readonly threads: number;
  /** Limits in MiB of the process that serves, and of the one for HTTP/3; 0: none. */
  readonly serviceMb: number;
  readonly http3Mb: number;
  /** Why `auto` takes fewer threads than cores; null if it does not. */
  readonly reason: string | null;
}

/** Memory of the machine, and the limit of the cgroup. */
export function readAvailableMemory(): AvailableMemory {
  const limit = process.constrainedMemory();
  // Without a limit, Node returns 0 or a number beyond any memory.
  const isLimited = limit > 0 && limit < totalmem();
  return { machine: Math.floor(totalmem() / mebibyte), cgroup: isLimited ? Math.floor(limit / mebibyte) : null };
}

/** Returns a sentence that names what to change if the settings do not fit. */
export function planMemory(needs: MemoryNeeds, available: AvailableMemory): MemoryPlan | { readonly problem: string } {
  const { cores, maxMemory, hasHttp3, databasesMb } = needs;
  const needOf = (threads: number): number => startMb + threadMb * (threads - 1) + databasesMb;
  const http3NeedMb = hasHttp3 ? http3StartMb : 0;
  if (maxMemory === 0)
    return { threads: needs.threads === 'auto' ? cores : needs.threads, serviceMb: 0, http3Mb: 0, reason: null };

  const { cgroup } = available;
  const total = totalFor(available, needOf(1) + http3NeedMb);
  const mostMb = maxMemory ?? total - http3NeedMb;
  const fitting = Math.max(1, 1 + Math.floor((mostMb - needOf(1)) / threadMb));
  const threads = needs.threads === 'auto' ? Math.min(cores, fitting) : needs.threads;
  const neededMb = needOf(threads);
  if (neededMb > mostMb) return { problem: describeProblem(needs, { threads, neededMb, http3NeedMb }, available) };
  if (maxMemory !== null && cgroup !== null && maxMemory + http3NeedMb >= cgroup) {
    const because = `the memory limit of the cgroup is ${cgroup} MiB${hasHttp3 ? ` and HTTP/3 needs ${http3NeedMb} more` : ''}`;
    return { problem: `MAX_MEMORY: must be below ${cgroup - http3NeedMb}, because ${because}, not "${maxMemory}"` };
  }

  const reason = needs.threads === 'auto' && threads < cores ? describeLimit(needs, available) : null;
  if (maxMemory !== null) {
    const http3Mb = Math.min(maxMemory, (cgroup ?? Number.POSITIVE_INFINITY) - maxMemory - 1);
    return { threads, serviceMb: maxMemory, http3Mb: hasHttp3 ? http3Mb : 0, reason };
  }
  // A quarter for HTTP/3, unless the threads need it.
  const http3Mb = hasHttp3 ? Math.max(http3NeedMb, Math.min(Math.floor(total / 4), total - neededMb)) : 0;
  const serviceMb = total - http3Mb;
  if (cgroup !== null) return { threads, serviceMb, http3Mb, reason };
  return {
    threads,
    serviceMb: Math.min(serviceMb, neededMb + reserveMb),
    http3Mb: Math.min(http3Mb, http3NeedMb + reserveMb),
    reason,
  };
}

/** The memory that the processes may use together. Without a cgroup, one thread may always start, however small the machine is. */
const totalFor = ({ machine, cgroup }: AvailableMemory, leastMb: number): number =>
  cgroup === null ? Math.max(Math.floor(machine * shareOfMachine), leastMb) : Math.floor(cgroup * shareOfCgroup);

const describeLimit = ({ maxMemory }: MemoryNeeds, { machine, cgroup }: AvailableMemory): string =>
  maxMemory !== null
    ? `MAX_MEMORY is ${maxMemory} MiB`
    : cgroup !== null
      ? `the memory limit of the cgroup is ${cgroup} MiB`
      : `the machine has ${machine} MiB of memory`;

type Shortage = Readonly<Record<'threads' | 'neededMb' | 'http3NeedMb', number>>;

function describeProblem(needs: MemoryNeeds, shortage: Shortage, available: AvailableMemory): string {
  const { maxMemory, databasesMb, hasHttp3, hasUpdates } = needs;
  const { threads, neededMb, http3NeedMb } = shortage;
  const count = threads === 1 ? 'one thread' : `${threads} threads`;
  const what = databasesMb === 0 ? count : `${count} with ${databasesMb} MiB of databases`;
  if (maxMemory !== null)
    return `MAX_MEMORY: must be at least ${neededMb}, which the start of ${what} needs, or 0, not "${maxMemory}"`;
  const share = available.cgroup === null ? shareOfMachine : shareOfCgroup;
  const totalMb = neededMb + http3NeedMb;
  const leastMb = Math.ceil(totalMb / share);
  const isInMachine = available.cgroup === null && totalMb < available.machine;
  const limit = isInMachine
    ? `without MAX_MEMORY the service uses at most ${100 * shareOfMachine} % of the machine's ${available.machine} MiB`
    : describeLimit(needs, available);
  const change = [
    isInMachine ? `set MAX_MEMORY to ${neededMb}` : `raise it to ${leastMb}`,
    ...(threads > 1 ? ['set THREADS to auto'] : []),
    ...(hasHttp3 ? ['set HTTP3_PORT to off'] : []),
    ...(hasUpdates ? ['set GEOIP_AUTO_UPDATE to off'] : []),
  ];
  const verb = threads === 1 && !hasHttp3 ? 'needs' : 'need';
  const name = threads === 1 ? '' : 'THREADS: ';
  const which = `${name}${what}${hasHttp3 ? ' and HTTP/3' : ''}`;
  return `${which} ${verb} ${totalMb} MiB, but ${limit}; ${change.join(', or ')}`;
}
