import { UNLIMITED_DEPTH } from '../../core/request.ts'
import { createBloomFilter } from '../../core/url/bloom-filter.ts'
import { createFingerprintCache } from '../../core/url/fingerprint-cache.ts'
import { dynamicAssignment, type HostAssignment } from '../frontier/host-assignment.ts'
import { guarded, type PartFaults } from './guarded.ts'
import { loadPart } from './load-part.ts'
import type { DocumentSet, UrlSet } from './set-types.ts'

const isPath = (name: string): boolean => name.includes('/')

export async function openUrlSet(name: string, entries: number, faults: PartFaults): Promise<UrlSet> {
  if (name === 'bloom') return createBloomFilter(entries, UNLIMITED_DEPTH)
  const cache = createFingerprintCache(entries)
  if (!isPath(name)) return cache
  const part = await loadPart('urlSet', name)
  const own = part.create({ entries })
  return {
    get: (hi, lo) =>
      guarded(part.name, faults, {
        work: () => own.get(hi, lo),
        isValid: (value): value is number => Number.isInteger(value),
        fallback: () => cache.get(hi, lo),
      }),
    set(hi, lo, depth) {
      cache.set(hi, lo, depth)
      guarded(part.name, faults, {
        work: () => own.set(hi, lo, depth),
        isValid: (_value): _value is unknown => true,
        fallback: () => undefined,
      })
    },
  }
}

const digestSet: DocumentSet = { isCopy: (_page, isStored) => isStored }

/** Mercator's document set: 64 bits per content, in memory. It forgets old contents; in practice it never confuses two. */
export function createMemoryDocuments(entries: number): DocumentSet {
  const met = createFingerprintCache(entries)
  return {
    isCopy({ digest }) {
      const view = new DataView(digest.buffer, digest.byteOffset, 8)
      const [hi, lo] = [view.getUint32(0), view.getUint32(4)]
      if (met.get(hi, lo) >= 0) return true
      met.set(hi, lo, 0)
      return false
    },
  }
}

export async function openDocumentSet(name: string, entries: number, faults: PartFaults): Promise<DocumentSet> {
  if (name === 'memory') return createMemoryDocuments(entries)
  if (!isPath(name)) return digestSet
  const part = await loadPart('documentSet', name)
  const own = part.create({ entries })
  return {
    isCopy: (page, isStored) =>
      guarded(part.name, faults, {
        work: () => own.isCopy(page, isStored),
        isValid: (value): value is boolean => typeof value === 'boolean',
        fallback: () => isStored,
      }),
  }
}

/** Null if hosts are distributed by a hash. */
export async function openHostAssignment(name: string, faults: PartFaults): Promise<HostAssignment | null> {
  if (name === 'dynamic') return dynamicAssignment
  if (!isPath(name)) return null
  const part = await loadPart('frontier', name)
  const own = part.create()
  return {
    assign: (host, threads) =>
      guarded(part.name, faults, {
        work: () => own.assign(host, threads),
        isValid: (value): value is number => Number.isInteger(value) && threads[value as number] !== undefined,
        fallback: () => dynamicAssignment.assign(host, threads),
      }),
  }
}
