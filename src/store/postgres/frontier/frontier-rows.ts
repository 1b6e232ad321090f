import { noCheck, type QueuedRequest } from '../../../core/request.ts'
import type { FrontierCounts, HostState } from '../../contracts/frontier.ts'

/** A partition's row of `frontiers`. */
export type FrontierFacts = {
  partition: number
  run: number
  seq: number
  queued: number
  seen: number
  hosts: number
  waiting: number
  given_up: number
}

/** As the functions tell hosts. */
export type HostTuple = [id: number, host: string, queued: number, nextAt: number, failures: number, rests: number]

export type HostRow = {
  id: number
  host: string
  run: number
  queued: number
  next_at: number
  failures: number
  rests: number
}

export type QueueRow = Record<
  'seq' | 'priority' | 'depth' | 'hops' | 'redirects' | 'attempts' | 'watch' | 'round' | 'fresh_from' | 'since',
  number
> & { fp: string; url: string; parent: string; first: boolean }

export type OfferAnswer = {
  before: number
  facts: FrontierFacts
  offered: { accepted: number[]; limited: number[]; hosts: HostTuple[] }
}

export type CompletionAnswer = {
  before: number
  facts: FrontierFacts
  gone: number
  watches: [watch: number, count: number][]
  moved: [was: number, seq: number][]
  hosts: HostTuple[]
}

export type GiveUpAnswer = Pick<CompletionAnswer, 'before' | 'facts' | 'gone' | 'watches'>

export function stateOfTuple([id, host, queued, nextAt, failures, rests]: HostTuple): HostState {
  return { id, host, queued, nextAt, failures, rests }
}

/** Failures count per run; the clock alone goes on from run to run. */
export function stateOfRow(row: HostRow, run: number): HostState {
  const isCurrent = row.run >= run
  return {
    id: row.id,
    host: row.host,
    queued: row.queued,
    nextAt: row.next_at,
    failures: isCurrent ? row.failures : 0,
    rests: isCurrent ? row.rests : 0,
  }
}

export function requestOfRow(row: QueueRow, hostId: number, host: string): QueuedRequest {
  const { watch, round, fresh_from: freshFrom, since, first } = row
  return {
    hostId,
    host,
    url: row.url,
    parent: row.parent,
    fp: BigInt(row.fp),
    priority: row.priority,
    seq: row.seq,
    depth: row.depth,
    hops: row.hops,
    redirects: row.redirects,
    attempts: row.attempts,
    check: watch === 0 ? noCheck : { watch, round, freshFrom, since, first },
  }
}

export function addFacts(counts: FrontierCounts, facts: FrontierFacts, run: number): void {
  const isCurrent = facts.run >= run
  counts.queued += facts.queued
  counts.hosts += facts.hosts
  if (!isCurrent) return
  counts.seen += facts.seen
  counts.givenUp += facts.given_up
}
