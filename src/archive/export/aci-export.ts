import type { Annotation, AnnotationStore } from '../../store/contracts/annotations.ts'
import { type Aci, type AciExplanation, writeAcis } from '../../xml/aci/aci.ts'
import type { ExportWork } from './export-work.ts'

const PAGE = 500

/** Annotations of all users as XML (ACI), in order of creation. */
export async function exportAcis(work: ExportWork, annotations: AnnotationStore, now: number): Promise<void> {
  for await (const text of writeAcis(chosen(work, annotations, now))) await work.target.write(text)
}

async function* chosen({ request, stats }: ExportWork, annotations: AnnotationStore, now: number): AsyncGenerator<Aci> {
  const { urlPrefix, afterMs, beforeMs } = request.selection
  for await (const annotation of eachAnnotation(annotations, request.owner ?? null)) {
    if (!annotation.url.startsWith(urlPrefix)) continue
    if (annotation.at < (afterMs ?? 0) || annotation.at >= (beforeMs ?? Number.POSITIVE_INFINITY)) continue
    yield aciOf(annotation, now)
    stats.count(annotation.summary.text.length)
  }
}

/** The annotations of an owner, or of everyone for null, as XML. */
export function aciText(
  annotations: Pick<AnnotationStore, 'list'>,
  owner: string | null,
  now: number,
): AsyncGenerator<string, void, undefined> {
  async function* acis(): AsyncGenerator<Aci> {
    for await (const annotation of eachAnnotation(annotations, owner)) yield aciOf(annotation, now)
  }
  return writeAcis(acis())
}

async function* eachAnnotation(
  annotations: Pick<AnnotationStore, 'list'>,
  owner: string | null,
): AsyncGenerator<Annotation> {
  for (let after = 0; ; ) {
    const page = await annotations.list({ after, limit: PAGE, ...(owner === null ? {} : { owner }) })
    yield* page
    if (page.length === 0) return
    after = page.at(-1)!.id
  }
}

export function aciOf(annotation: Annotation, now: number): Aci {
  const { expiresAt, explanation } = annotation
  return {
    owner: annotation.owner,
    extension: annotation.extension,
    format: annotation.format,
    relevance: annotation.relevance,
    updatedAt: annotation.at,
    bytes: annotation.size,
    uri: annotation.url,
    urgency: annotation.urgency,
    docbase: annotation.docbase || `${annotation.url}@${annotation.n}`,
    isExpired: expiresAt !== 0 && expiresAt <= now,
    expiresAt: expiresAt === 0 ? null : expiresAt,
    summary: annotation.summary,
    id: String(annotation.id),
    profile: annotation.profile,
    document: String(annotation.documentId),
    version: String(annotation.versionId),
    kind: annotation.kind,
    isBacklog: annotation.backlog,
    title: annotation.title,
    alsoAt: annotation.alsoAt,
    explanation: isExplained(explanation) ? explanationOf(explanation) : null,
    changes: annotation.changes,
    entry: annotation.entry,
    link: annotation.link,
    channel: annotation.channel,
  }
}

/** Annotations for tracked or gone documents have no matched terms. */
function isExplained(explanation: unknown): explanation is AciExplanation {
  return typeof explanation === 'object' && explanation !== null && 'terms' in explanation
}

/** Without the relevance, which is in the annotation itself. */
function explanationOf({ threshold, scorer, terms, further, missing, exclusions, expression }: AciExplanation) {
  return { threshold, scorer, terms, further, missing, exclusions, expression }
}
