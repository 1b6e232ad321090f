import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { ExportProgress, ExportReport, ExportRequest } from '../../core/reports/export-report.ts'
import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { FrontierView } from '../../store/contracts/frontier-view.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { WalkStore } from '../../store/contracts/walks.ts'
import { createBodyReader } from '../body-reader.ts'
import { exportAcis } from './aci-export.ts'
import { exportBadUrls } from './bad-urls-export.ts'
import { exportCdxj } from './cdxj-export.ts'
import {
  createStats,
  ExportStopped,
  type ExportTarget,
  type ExportWork,
  type Output,
  openTarget,
} from './export-work.ts'
import { createLineSorter, type LineSorter } from './line-sorter.ts'
import { exportLinks } from './links-export.ts'
import { exportMarkdownFiles, exportMarkdownLines } from './markdown-export.ts'
import { exportMeta } from './meta-export.ts'
import { createRecordSource } from './record-source.ts'
import { exportWacz } from './wacz-export.ts'
import { exportWalk } from './walk-export.ts'
import { exportWarc } from './warc-export.ts'

export type ExportDeps = {
  versions: VersionStore
  objects: Pick<ObjectStore, 'volumes' | 'read'>
  annotations: AnnotationStore
  frontier: Pick<FrontierView, 'dropped'>
  walks: Pick<WalkStore, 'lastRun' | 'visits'>
  output: Output
  /** Named in a WARC file's own header. */
  software: string
  now(): number
  signal: AbortSignal
  onProgress(progress: ExportProgress): void
}

/**
 * Writes the archive, its index, the link graph, the meta-information or a list, while others may write the store. Damaged records are
 * left out and reported. A version stored during the export may be in it or not.
 */
export async function exportArchive(request: ExportRequest, deps: ExportDeps): Promise<ExportReport> {
  const startedAt = performance.now()
  const stats = createStats(deps.signal, deps.onProgress)
  const report = (bytes: number, interrupted: boolean): ExportReport => ({
    kind: request.kind,
    file: request.file ?? '-',
    records: stats.records(),
    bytes,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    skipped: stats.skipped(),
    faults: stats.faults(),
    interrupted,
  })
  const targets: ExportTarget[] = []
  const sorters: LineSorter[] = []
  const source = createRecordSource(deps)
  const createSorter = (): LineSorter => {
    const sorter = createLineSorter({ folder: request.file === null ? tmpdir() : dirname(request.file) })
    sorters.push(sorter)
    return sorter
  }
  const openFile = async (file: string | null, compress: boolean): Promise<ExportTarget> => {
    const target = await openTarget({ file, output: deps.output, compress })
    targets.push(target)
    return target
  }
  try {
    if (request.kind === 'markdown' && isFolder(request.file)) {
      const work = { request, versions: inTurns(deps.versions, deps.signal), source, createSorter, stats }
      const bytes = await exportMarkdownFiles(work, createBodyReader(deps), request.file)
      return report(bytes, deps.signal.aborted)
    }
    const endsWithGz = request.file?.endsWith('.gz') === true
    const isWhole = request.kind === 'warc' || request.kind === 'wacz'
    const target = await openFile(request.file, endsWithGz && !isWhole)
    const index =
      request.indexFile === null ? null : await openFile(request.indexFile, request.indexFile.endsWith('.gz'))
    await run(
      { request, versions: inTurns(deps.versions, deps.signal), source, target, createSorter, stats },
      deps,
      index,
    )
    if (deps.signal.aborted) return report(0, true)
    const bytes = await target.commit()
    await index?.commit()
    return report(bytes, false)
  } catch (error) {
    if (error instanceof ExportStopped || isReaderGone(error, request)) return report(0, true)
    throw failure(error, request)
  } finally {
    source.close()
    for (const sorter of sorters) sorter.close()
    for (const target of targets) await target.discard()
  }
}

function isFolder(file: string | null): file is string {
  return file !== null && !/\.jsonl(?:\.gz)?$/.test(file)
}

function run(
  work: ExportWork,
  { software, now, annotations, frontier, walks, objects, versions }: ExportDeps,
  index: ExportTarget | null,
): Promise<void> {
  switch (work.request.kind) {
    case 'warc':
      return exportWarc(work, { software, now: now(), index })
    case 'markdown':
      return exportMarkdownLines(work, createBodyReader({ versions, objects }))
    case 'wacz':
      return exportWacz(work, { software, now: now() })
    case 'cdxj':
      return exportCdxj(work)
    case 'links':
      return exportLinks(work)
    case 'meta':
      return exportMeta(work)
    case 'aci':
      return exportAcis(work, annotations, now())
    case 'bad-urls':
      return exportBadUrls(work, frontier)
    case 'walk':
      return exportWalk(work, walks)
  }
}

/** A store that answers synchronously would never let the event loop see the signal, so each page waits for a turn of the loop. */
function inTurns(versions: VersionStore, signal: AbortSignal): VersionStore {
  const turn = async (): Promise<void> => {
    await setImmediate()
    if (signal.aborted) throw new ExportStopped('stopped')
  }
  return {
    ...versions,
    async documents(page) {
      await turn()
      return versions.documents(page)
    },
    async badDocuments(page) {
      await turn()
      return versions.badDocuments(page)
    },
    async versions(page) {
      await turn()
      return versions.versions(page)
    },
  }
}

/** Whether the reader of the pipe has closed it. */
function isReaderGone(error: unknown, { file }: ExportRequest): boolean {
  return file === null && (error as NodeJS.ErrnoException).code === 'EPIPE'
}

function failure(error: unknown, { file }: ExportRequest): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof AppError || syscall === undefined) return error
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new AppError(isFull ? 'store-full' : 'store-failed', `${file ?? 'standard output'}: ${message}`, {
    cause: error,
  })
}
