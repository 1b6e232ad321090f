import type { Annotation, AnnotationDraft } from '../../contracts/annotations.ts'
import { storyLimits } from '../../contracts/stories.ts'
import { type JoinedPage, splitDraft } from '../../rules/splits.ts'
import type { Database } from '../folder/database.ts'
import { createAnnotationReader, prepareAnnotations } from './annotation-rows.ts'

type Wish = { owner: string; annotation: number; url: string; at: number }

/** Splits pages from each other for an owner. `add` returns the id of the new annotation, or 0 if it exists. */
export function createSplitting(db: Database, add: (draft: AnnotationDraft) => number) {
  const { annotationOf, annotationsOf } = createAnnotationReader(db)
  const sql = {
    find: prepareAnnotations(db, 'WHERE a.id = ? AND a.owner = ?'),
    ofPage: prepareAnnotations(db, 'WHERE a.owner = ? AND a.document = ? AND a.entry = ? ORDER BY a.id'),
    joined: db.prepare(
      `SELECT s.version AS versionId, CASE s.document WHEN 0 THEN coalesce(v.document, 0) ELSE s.document END AS documentId, s.draft
       FROM also_at s LEFT JOIN versions v ON v.id = s.version WHERE s.annotation = ? AND s.url = ? ORDER BY s.version DESC LIMIT 1`,
    ),
    remove: db.prepare('DELETE FROM also_at WHERE annotation = ? AND url = ?'),
    add: db.prepare(
      `INSERT INTO story_splits (owner, document, other, at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at`,
    ),
    dropOld: db.prepare(
      `DELETE FROM story_splits WHERE owner = ?1 AND at < (SELECT at FROM story_splits WHERE owner = ?1
       ORDER BY at DESC LIMIT 1 OFFSET ${2 * storyLimits.splits})`,
    ),
    isSplit: db.prepare(
      `SELECT 1 FROM story_splits s WHERE s.owner = ? AND s.document = ? AND EXISTS (SELECT 1 FROM annotations a
       WHERE a.story = ? AND a.story <> 0 AND a.profile = ? AND a.document = s.other) LIMIT 1`,
    ),
  }

  /** Splits the URL off one annotation; null if that doesn't list it, or the page is in another system. */
  function splitOne(listedWith: Annotation, url: string): { id: number; documentId: number } | null {
    const page = sql.joined.get(listedWith.id, url) as JoinedPage | undefined
    const draft = page === undefined ? null : splitDraft(listedWith, page)
    if (draft === null) return null
    sql.remove.run(listedWith.id, url)
    return { id: add(draft), documentId: draft.documentId }
  }

  return {
    /** Returns the ids of the new annotations; null if the annotation doesn't list the page. */
    split({ owner, annotation: id, url, at }: Wish): number[] | null {
      const asked = annotationOf(sql.find.get(id, owner))
      if (asked === null || !asked.alsoAt.includes(url)) return null
      const fresh: number[] = []
      const ofPage = annotationsOf(sql.ofPage.all(owner, asked.documentId, asked.entry))
      for (const listedWith of ofPage) {
        const done = splitOne(listedWith, url)
        if (done === null) continue
        if (done.id > 0) fresh.push(done.id)
        sql.add.run(owner, asked.documentId, done.documentId, at)
        sql.add.run(owner, done.documentId, asked.documentId, at)
      }
      sql.dropOld.run(owner)
      return fresh.length === 0 ? null : fresh
    },
    isSplit: (owner: string, profile: string, cluster: number, documentId: number): boolean =>
      sql.isSplit.get(owner, documentId, cluster, profile) !== undefined,
  }
}
