import { useState } from 'react'
import type { List } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { User } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/input.tsx'
import { Menu } from '../kit/menu.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { strings as shared } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { useMe } from '../session/session.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'
import {
  levelOptions,
  NewUserDialog,
  RemoveUserDialog,
  ResetPasswordDialog,
  roleOptions,
  useChangeUser,
} from './user-dialogs.tsx'

const text = strings.users
type Asked = { kind: 'new' } | { kind: 'password' | 'remove'; user: User }

export function UsersPart() {
  const users = usePages<List<User>>(['users'], '/users', { limit: 100 })
  const [asked, setAsked] = useState<Asked | null>(null)
  if (users.isPending) return <LoadingState label={text.loading} />
  if (users.isError) return <ErrorState query={users} />
  const all = users.data.pages.flatMap(({ items }) => items)
  const close = () => setAsked(null)
  return (
    <section className="kit-form settings-users">
      <div className="kit-spread">
        <h2>{text.title}</h2>
        <Button label={text.add} icon="plus" variant="primary" onClick={() => setAsked({ kind: 'new' })} />
      </div>
      <p className="soft">{text.lead}</p>
      <UserTable users={all} onAsk={setAsked} />
      {users.hasNextPage && (
        <div>
          <Button
            label={shared.loadMore}
            disabled={users.isFetchingNextPage}
            onClick={() => void users.fetchNextPage()}
          />
        </div>
      )}
      {asked?.kind === 'new' && <NewUserDialog onClose={close} />}
      {asked?.kind === 'password' && <ResetPasswordDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'remove' && <RemoveUserDialog user={asked.user} onClose={close} />}
    </section>
  )
}

function UserTable({ users, onAsk }: { users: readonly User[]; onAsk: (asked: Asked) => void }) {
  const me = useMe()
  const change = useChangeUser()
  const put = (id: number, changes: Parameters<typeof change.mutate>[0]['changes']) => change.mutate({ id, changes })
  return (
    <Table
      label={text.title}
      rows={users}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'who',
          head: text.who,
          cell: (user) => (
            <div className="kit-row settings-who">
              <strong>{user.name === '' ? user.email : user.name}</strong>
              {user.id === me.id && <Badge tone="good">{text.you}</Badge>}
              {user.disabled && <Badge tone="warn">{text.disabled}</Badge>}
              {user.name !== '' && <span className="faint small break">{user.email}</span>}
            </div>
          ),
        },
        {
          key: 'role',
          head: text.role,
          cell: (user) => (
            <Select
              aria-label={text.roleOf(user.email)}
              className="settings-choice"
              value={user.role}
              options={roleOptions}
              onChange={(role) => put(user.id, { role: role as User['role'] })}
            />
          ),
        },
        {
          key: 'level',
          head: text.level,
          cell: (user) => (
            <Select
              aria-label={text.levelOf(user.email)}
              className="settings-choice"
              value={user.level}
              options={levelOptions}
              onChange={(level) => put(user.id, { level: level as User['level'] })}
            />
          ),
        },
        {
          key: 'since',
          head: text.since,
          wideOnly: true,
          numbers: true,
          cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
        },
        {
          key: 'menu',
          head: <span className="visually-hidden">{shared.actions}</span>,
          cell: (user) => (
            <Menu
              label={text.actionsFor(user.email)}
              items={[
                { label: text.setPassword, icon: 'edit', run: () => onAsk({ kind: 'password', user }) },
                user.disabled
                  ? { label: text.enable, icon: 'play', run: () => put(user.id, { disabled: false }) }
                  : {
                      label: text.disable,
                      icon: 'pause',
                      disabled: user.id === me.id,
                      run: () => put(user.id, { disabled: true }),
                    },
                {
                  label: text.remove,
                  icon: 'trash',
                  danger: true,
                  disabled: user.id === me.id,
                  run: () => onAsk({ kind: 'remove', user }),
                },
              ]}
            />
          ),
        },
      ]}
    />
  )
}
