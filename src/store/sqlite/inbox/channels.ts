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
import type { Database } from '../folder/database.ts'

export function createSqliteChannels(db: Database): ChannelStore {
  const texts = channelSql((n) => `?${n}`)
  const sql = {
    add: db.prepare(texts.add),
    list: db.prepare(texts.list),
    find: db.prepare(texts.find),
    change: db.prepare(texts.change),
    note: db.prepare(texts.note),
    remove: db.prepare(texts.remove),
  }
  const found = (id: string) => {
    const row = sql.find.get(id) as ChannelRow | undefined
    return row === undefined ? null : channelOf({ ...row })
  }
  return {
    async add(draft) {
      const channel = newChannel(draft)
      db.write(() => sql.add.run(...addValues(channel)))
      return channel
    },
    list: async (owner) => (db.read(() => sql.list.all(owner)) as ChannelRow[]).map((row) => channelOf({ ...row })),
    find: async (id) => db.read(() => found(id)),
    async change(owner, id, to) {
      return db.write(() => {
        const channel = found(id)
        if (channel === null || channel.owner !== owner) return false
        return sql.change.run(...changeValues(changedChannel(channel, to))).changes === 1
      })
    },
    async note(id, health) {
      db.write(() => sql.note.run(...noteValues(id, health)))
    },
    remove: async (owner, id) => db.write(() => sql.remove.run(owner, id).changes === 1),
  }
}
