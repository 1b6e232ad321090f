import { partitionOf } from '../../../core/partition.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../contracts/versions.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'
import { partitionOfId } from '../connection/row-batch.ts'
import { storable } from './storable-text.ts'
import { newestVersion } from './version-mark.ts'
import { someVersions, versionStatements as sql } from './versions-statements.ts'

type DocumentRow = Omit<CataloguedDocument, 'fp'> & { fp: string }
type VersionRow = Omit<Version, 'record'> & { record: number; length: number }

/** The highest id of a list that goes from the newest down. */
const MAX_ID = Number.MAX_SAFE_INTEGER

export function createPostgresVersions(pool: PostgresPool): VersionStore {
  /** Below it no version can still appear; it only grows. */
  let settled = 0

  async function oneDocument(text: string, values: readonly unknown[]): Promise<CataloguedDocument | null> {
    const [row] = await pool.query<DocumentRow>(text, values)
    return row === undefined ? null : documentOf(row)
  }

  async function versionsOf(text: string, values: readonly unknown[]): Promise<Version[]> {
    return (await pool.query<VersionRow>(text, values)).map(versionOf)
  }

  return {
    document: ({ host, fp }) => oneDocument(sql.document, [partitionOf(host), storable(host), fp]),
    documentOfUrl: (host, url) => oneDocument(sql.documentOfUrl, [partitionOf(host), storable(host), storable(url)]),
    documentOfId: (id) => oneDocument(sql.documentOfId, [partitionOfId(id), id]),
    async documents({ after, limit }) {
      return (await pool.query<DocumentRow>(sql.documents, [after, limit])).map(documentOf)
    },
    version: async (id) => (await versionsOf(sql.version, [partitionOfId(id), id]))[0] ?? null,
    history: (id, { after, limit }) => versionsOf(sql.history, [partitionOfId(id), id, after, limit]),
    newest: (id, { before, limit }) =>
      versionsOf(sql.newest, [partitionOfId(id), id, Math.min(before, MAX_NUMBER), limit]),
    versionAt: async (id, at) => (await versionsOf(sql.versionAt, [partitionOfId(id), id, at]))[0] ?? null,
    async versions({ after, limit, mayMiss = false }) {
      const rows = await versionsOf(sql.versions, [after, limit])
      if (mayMiss) return rows
      // Whoever goes on behind the last of them must not have passed over one that was not there yet.
      if ((rows.at(-1)?.id ?? 0) <= settled) return rows
      settled = Math.max(settled, await newestVersion(pool))
      return rows.filter(({ id }) => id <= settled)
    },
    current: ({ before, limit }) => versionsOf(sql.current, [Math.min(before, MAX_ID), limit]),
    async links(versionId) {
      const [row] = await pool.query<{ list: string; url: string }>(sql.links, [partitionOfId(versionId), versionId])
      return row === undefined ? [] : unpackLinks(row.list, row.url)
    },
  }
}

/** Those that are there, in any order. */
export async function findVersions(sender: Sender, ids: readonly number[]): Promise<Version[]> {
  if (ids.length === 0) return []
  return (await sender.query<VersionRow>(someVersions, [ids.map(partitionOfId), ids])).map(versionOf)
}

/** Numbers of versions are integers of 32 bits. */
const MAX_NUMBER = 0x7fffffff

function documentOf({ fp, ...row }: DocumentRow): CataloguedDocument {
  return { ...row, fp: BigInt(fp) }
}

function versionOf({ record, length, ...row }: VersionRow): Version {
  const fileId = partitionOfId(row.id) + 1
  return { ...row, record: record === 0 ? null : { fileId, offset: record, length } }
}
