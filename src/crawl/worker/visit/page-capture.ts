import { resourceRecord, responseRecord, revisitRecord } from '../../../archive/warc/record-writer.ts'
import type { FeedSchedule } from '../../../core/feed/feed.ts'
import type { QueuedRequest } from '../../../core/request.ts'
import { bodyDigest, digestText } from '../../../core/url/fingerprint.ts'
import { releaseMemory } from '../../../core/work/release-memory.ts'
import type { Capture, OriginalCapture } from '../../../store/contracts/documents.ts'
import { type FetchResponse, headerValue, mediaTypeOf } from '../../fetch/fetch-result.ts'
import { freshUntil, validatorsOf } from '../../fetch/validators.ts'
import type { PipedLinks } from '../links/link-pipe.ts'
import type { TextComparison } from './compare-versions.ts'

/** What identifies the run and its rules in a record. */
export type RecordOptions = {
  run: number
  /** Identifies the rules that name links: link keys made by other rules are useless. */
  linkNaming: number
  /** Whether there are modules that need the answers. */
  givesAnswers: boolean
}

type PageFacts = {
  schedule: FeedSchedule | undefined
  dates: readonly number[] | undefined
  differsFrom: number
  title: string
  found: PipedLinks
  truncated: 'length' | 'time' | null
  /** Ids of the parts received, if not the whole page was. */
  completed: string
  options: RecordOptions
  digest: Buffer
  compared: TextComparison
  textRules: number
}

function releaseBodies(...bodies: Buffer[]): void {
  for (const body of bodies) releaseMemory(body)
}

/** A page that was read, on its way into the store. */
export function captureOf(request: QueuedRequest, response: FetchResponse, body: Buffer, facts: PageFacts): Capture {
  const { rawHeaders, status, address, startedAt } = response
  const { options, digest, compared, found } = facts
  const payload = body === response.body ? digest : bodyDigest(response.body)
  const { etag, lastModified } = validatorsOf(rawHeaders, startedAt)
  // Written out instead of spread from its parts: this runs for every page.
  const capture: Extract<Capture, { kind: 'body' }> = {
    kind: 'body',
    host: request.host,
    fp: request.fp,
    url: request.url,
    parent: request.parent,
    check: request.check,
    hops: request.hops,
    at: startedAt,
    run: request.check.watch === 0 ? options.run : request.check.watch,
    status,
    address,
    type: mediaTypeOf(rawHeaders),
    digest,
    size: body.length,
    etag,
    lastModified,
    freshUntil: freshUntil(rawHeaders, startedAt),
    differsFrom: facts.differsFrom,
    text: compared.text,
    sameTextAs: compared.sameTextAs,
    textRules: facts.textRules,
    truncated: facts.truncated ?? '',
    completed: facts.completed,
    title: facts.title,
    links: found.links,
    linkText: found.text,
    linkKeys: found.keys,
    linkNaming: options.linkNaming,
    render: (original) => recordOf(request, response, { body, payload, facts, original }),
  }
  if (facts.schedule !== undefined) capture.schedule = facts.schedule
  if (facts.dates !== undefined) capture.dates = facts.dates
  if (options.givesAnswers) capture.answer = { body, headers: rawHeaders }
  else capture.release = () => releaseBodies(response.body, body)
  return capture
}

type Recorded = { body: Buffer; payload: Buffer; facts: PageFacts; original: OriginalCapture | null }

function recordOf(
  { url: uri }: QueuedRequest,
  { statusLine, rawHeaders, address, startedAt: date, body: sent }: FetchResponse,
  { body, payload, facts, original }: Recorded,
): Uint8Array[] {
  const { truncated, completed } = facts
  const payloadDigest = digestText(payload)
  // No server sent these bytes as a response.
  if (completed !== '') {
    const contentType = headerValue(rawHeaders, 'content-type') ?? ''
    const refers = original === null ? null : { uri: original.url, date: original.at }
    return resourceRecord({ uri, date, address, contentType, body, payloadDigest, truncated: null, refers }).parts
  }
  if (original === null)
    return responseRecord({ uri, date, address, statusLine, rawHeaders, body: sent, payloadDigest, truncated }).parts
  return revisitRecord({
    ...{ uri, date, address, statusLine, rawHeaders, payloadDigest },
    ...{ profile: 'identical-payload-digest', refersToUri: original.url, refersToDate: original.at },
  }).parts
}
