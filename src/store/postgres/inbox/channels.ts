import type { ChannelFigures, ChannelStore } from '../../contracts/channels.ts'
import {
  addValues,
  type ChannelRow,
  changedChannel,
  changeValues,
  channelOf,
  channelSql,
  isResumed,
  newChannel,
  noteValues,
} from '../../rules/channels.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { clearChannel, resumeChannel, stored, switchOffChannel } from './deliveries.ts'

const sql = channelSql((n) => `$${n}`)

export function createPostgresChannels(pool: PostgresPool): ChannelStore {
  return {
    async add(draft) {
      const channel = newChannel(draft)
      await pool.query(sql.add, stored(addValues(channel)))
      return channel
    },
    list: async (owner) => (await pool.query<ChannelRow>(sql.list, [storable(owner)])).map(channelOf),
    figures: () => pool.query<ChannelFigures>(sql.figures, []),
    async find(id) {
      const [row] = await pool.query<ChannelRow>(sql.find, [storable(id)])
      return row === undefined ? null : channelOf(row)
    },
    change: (owner, id, to) =>
      pool.transaction(async (tx) => {
        const [row] = await tx.query<ChannelRow>(`${sql.find} FOR UPDATE`, [storable(id)])
        if (row === undefined || row.owner !== storable(owner)) return false
        await tx.query(sql.change, stored(changeValues(changedChannel(channelOf(row), to))))
        if (to.state === 'off') await switchOffChannel(tx, row.id)
        else if (isResumed(to)) await resumeChannel(tx, row.id)
        return true
      }),
    async note(id, health) {
      await pool.query(sql.note, stored(noteValues(id, health)))
    },
    remove: (owner, id) =>
      pool.transaction(async (tx) => {
        const [row] = await tx.query<ChannelRow>(`${sql.find} FOR UPDATE`, [storable(id)])
        if (row === undefined || row.owner !== storable(owner)) return false
        await clearChannel(tx, row.id)
        await tx.query(sql.remove, [row.owner, row.id])
        return true
      }),
  }
}
