import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../core/work/process.ts'
import { serveThread } from '../../../core/work/thread-host.ts'
import { createScanner, type ScanOptions } from '../scanner/scanner.ts'
import {
  AS_XML,
  FOR_LINKS,
  FOR_TEXT,
  FOUND,
  HAS_FORGOTTEN,
  HAS_TYPE,
  IN_FOLDER,
  IS_ASLEEP,
  LABEL_LENGTH,
  OPTIONS,
  ORIGIN_LENGTH,
  openScanMemory,
  PAGE_LENGTH,
  type Place,
  placeAt,
  placeIndex,
  SCANNED,
  SUBMITTED,
  WITH_LINK_TEXTS,
} from './scan-memory.ts'

// Scans and hashes the pages of one crawling thread, and reads the texts of changed ones, until it is terminated. It has no event loop: it
// waits on the shared memory.

export type ScanThreadData = {
  memory: SharedArrayBuffer
  /** Otherwise the modules for it aren't loaded. */
  readsTexts: boolean
}

/** Between two looks for pages. */
const LOOK_MS = 0.3
/** The crawling thread goes first: it feeds all others, and scans pages itself if this thread falls behind. */
const NICENESS = 10
/** After this many looks without a page, it sleeps until it is woken. */
const LOOKS = 20

const { memory, readsTexts } = workerData as ScanThreadData
const { counts, numbers, bytes } = openScanMemory(memory)
const scanner = createScanner()
const texts = readsTexts ? await import('../../../core/text/document-text.ts') : null

function examine(start: number): void {
  const head = start >>> 2
  const pageLength = numbers[head + PAGE_LENGTH]!
  const place = placeAt(start, numbers[head + LABEL_LENGTH]!, pageLength)
  const page = bytes.subarray(place.page, place.page + pageLength)
  const asked = numbers[head + OPTIONS]!
  if ((asked & FOR_TEXT) !== 0) {
    numbers[head + FOUND] = readText(page, place)
    return
  }
  if ((asked & FOR_LINKS) !== 0) scan(page, place)
  hash('sha256', page, 'buffer').copy(bytes, place.digest)
}

function scan(page: Buffer, place: Place): void {
  const isFull = scanner.isMemoFull()
  if (isFull) scanner.forgetLinks()
  numbers[place.head + HAS_FORGOTTEN] = isFull ? 1 : 0
  scanner.begin(page, optionsOf(place))
  let found = 0
  // To the end, even if there is no room: the memo numbers all links.
  for (let count = scanner.scan(); count > 0; count = scanner.scan()) {
    if (found === -1 || found + count > place.maxFindings) {
      found = -1
      continue
    }
    numbers.set(scanner.findings.subarray(0, count), place.findings + found)
    found += count
  }
  numbers[place.head + FOUND] = found
}

/** A page whose text can't be read is left to the crawling thread, which meets the same error. */
function readText(page: Buffer, place: Place): number {
  const contentType = (numbers[place.head + OPTIONS]! & HAS_TYPE) === 0 ? undefined : labelOf(place)
  try {
    const text = texts!.textFingerprint(page, { contentType })
    text?.copy(bytes, place.digest)
    return text === null ? 0 : 1
  } catch {
    return -1
  }
}

function labelOf({ head, label }: Place): string {
  return bytes.toString('utf8', label, label + numbers[head + LABEL_LENGTH]!)
}

function optionsOf(place: Place): ScanOptions {
  const { head } = place
  const asked = numbers[head + OPTIONS]!
  const options: ScanOptions = { xml: (asked & AS_XML) !== 0, withTexts: (asked & WITH_LINK_TEXTS) !== 0 }
  if ((asked & IN_FOLDER) === 0) return options
  return { ...options, folder: { url: labelOf(place), originLength: numbers[head + ORIGIN_LENGTH]! } }
}

lowerThreadPriority(NICENESS)
serveThread<never, 'ready'>(parentPort!, () => undefined).send('ready')
for (let scanned = 0, looks = 0; ; ) {
  if (scanned !== Atomics.load(counts, SUBMITTED)) {
    examine(counts[placeIndex(scanned)]!)
    scanned = (scanned + 1) | 0
    Atomics.store(counts, SCANNED, scanned)
    looks = 0
  } else if (looks++ < LOOKS) {
    Atomics.wait(counts, SUBMITTED, scanned, LOOK_MS)
  } else {
    Atomics.store(counts, IS_ASLEEP, 1)
    Atomics.wait(counts, SUBMITTED, scanned)
    Atomics.store(counts, IS_ASLEEP, 0)
  }
}
