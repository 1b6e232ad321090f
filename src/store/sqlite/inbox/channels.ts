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
import type { Database } from '../folder/database.ts'
import { createChannelClearing } from './deliveries.ts'

export function createSqliteChannels(db: Database): ChannelStore {
  const clearing = createChannelClearing(db)
  const texts = channelSql((n) => `?${n}`)
  const sql = {
    add: db.prepare(texts.add),
    list: db.prepare(texts.list),
    find: db.prepare(texts.find),
    change: db.prepare(texts.change),
    note: db.prepare(texts.note),
    figures: db.prepare(texts.figures),
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
    figures: async () => (db.read(() => sql.figures.all()) as ChannelFigures[]).map((row) => ({ ...row })),
    find: async (id) => db.read(() => found(id)),
    async change(owner, id, to) {
      return db.write(() => {
        const channel = found(id)
        if (channel === null || channel.owner !== owner) return false
        sql.change.run(...changeValues(changedChannel(channel, to)))
        if (to.state === 'off') clearing.switchOff(id)
        else if (isResumed(to)) clearing.resume(id)
        return true
      })
    },
    async note(id, health) {
      db.write(() => sql.note.run(...noteValues(id, health)))
    },
    remove: async (owner, id) =>
      db.write(() => {
        if (found(id)?.owner !== owner) return false
        clearing.remove(id)
        return sql.remove.run(owner, id).changes === 1
      }),
  }
}
