import type { ChannelStore } from '../../contracts/channels.ts'
import {
  addValues,
  type ChannelRow,
  changedChannel,
  changeValues,
  channelOf,
  channelSql,
  newChannel,
  noteValues,
} from '../../rules/channels.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

const sql = channelSql((n) => `$${n}`)

const stored = (values: readonly (string | number)[]): (string | number)[] =>
  values.map((value) => (typeof value === 'string' ? storable(value) : value))

export function createPostgresChannels(pool: PostgresPool): ChannelStore {
  return {
    async add(draft) {
      const channel = newChannel(draft)
      await pool.query(sql.add, stored(addValues(channel)))
      return channel
    },
    list: async (owner) => (await pool.query<ChannelRow>(sql.list, [storable(owner)])).map(channelOf),
    async find(id) {
      const [row] = await pool.query<ChannelRow>(sql.find, [storable(id)])
      return row === undefined ? null : channelOf(row)
    },
    change: (owner, id, to) =>
      pool.transaction(async (tx) => {
        const [row] = await tx.query<ChannelRow>(`${sql.find} FOR UPDATE`, [storable(id)])
        if (row === undefined || row.owner !== owner) return false
        await tx.query(sql.change, stored(changeValues(changedChannel(channelOf(row), to))))
        return true
      }),
    async note(id, health) {
      await pool.query(sql.note, stored(noteValues(id, health)))
    },
    remove: async (owner, id) =>
      (await pool.query(`${sql.remove} RETURNING 1`, [storable(owner), storable(id)])).length === 1,
  }
}
