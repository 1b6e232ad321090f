import { copyBytes } from '../../../core/work/copy-bytes.ts'
import { createInstances } from '../../../core/work/web-assembly.ts'
import { MAX_BASE, WITH_TEXTS, XML } from './assembly/wire.ts'

/**
 * The scanner in `assembly/`, which `npm ci` compiles to WebAssembly. One serves all pages of a thread, one after the other:
 * `begin` loads a page, `scan` continues and returns how many numbers of `findings` are new, or 0 at the end.
 */
export type Scanner = {
  readonly findings: Int32Array
  begin(page: Uint8Array, options: ScanOptions): void
  scan(): number
  /** Whether the memo has no room for more links. */
  isMemoFull(): boolean
  forgetLinks(): void
}

export type ScanOptions = {
  xml: boolean
  withTexts: boolean
  /** Without it, nothing is looked up in the memo. */
  folder?: Folder | undefined
}

/** The URL to which relative links of a page are appended, in ASCII, and the length of its origin. */
export type Folder = { url: string; originLength: number }

type Exports = {
  memory: { readonly buffer: ArrayBuffer }
  pageAt(length: number): number
  baseAt(): number
  begin(length: number, options: number, originLength: number, folderLength: number): void
  scan(): number
  findingsAt(): number
  isMemoFull(): number
  forgetLinks(): void
}

const FINDINGS = 4096
const noFolder: Folder = { url: '', originLength: 0 }

const createInstance = createInstances<Exports>('link scanner', new URL('./scanner.wasm', import.meta.url))

export function createScanner(): Scanner {
  const exports = createInstance()
  const { memory } = exports
  const base = exports.baseAt()
  let bytes = Buffer.from(memory.buffer)
  let findings = new Int32Array(memory.buffer, exports.findingsAt(), FINDINGS)

  /** Growing the memory detaches its buffer, so the views are created again. */
  function placeFor(length: number): number {
    const place = exports.pageAt(length)
    if (place === 0) throw new RangeError(`no memory for a page of ${length} bytes`)
    if (bytes.buffer !== memory.buffer) {
      bytes = Buffer.from(memory.buffer)
      findings = new Int32Array(memory.buffer, exports.findingsAt(), FINDINGS)
    }
    return place
  }

  return {
    get findings() {
      return findings
    },
    begin(page, { xml, withTexts, folder }) {
      const place = placeFor(page.length)
      copyBytes(page, bytes, place)
      const { url, originLength } = folder === undefined || folder.url.length > MAX_BASE ? noFolder : folder
      for (let at = 0; at < url.length; at++) bytes[base + at] = url.charCodeAt(at)
      exports.begin(page.length, (xml ? XML : 0) | (withTexts ? WITH_TEXTS : 0), originLength, url.length)
    },
    scan: exports.scan,
    isMemoFull: () => exports.isMemoFull() !== 0,
    forgetLinks: exports.forgetLinks,
  }
}

/** The memory of a scanner never shrinks: larger pages get their own scanner, which is discarded with them. */
const MAX_SHARED_BYTES = 1 << 20
let shared: Scanner | undefined

/** A scanner for a page of this size, without a memo. */
export function scannerFor(length: number): Scanner {
  if (length > MAX_SHARED_BYTES) return createScanner()
  shared ??= createScanner()
  return shared
}
