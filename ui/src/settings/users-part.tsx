import { useState } from 'react'
import type { User } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/input.tsx'
import { Menu } from '../kit/menu.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { useMe } from '../session/session.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { useChangeUser, useUsers } from './use-users.ts'
import { NewUserDialog, RemoveUserDialog, ResetPasswordDialog } from './user-dialogs.tsx'

const roles = [
  { value: 'user', label: 'User' },
  { value: 'administrator', label: 'Administrator' },
]
const levels = [
  { value: 'gold', label: 'Gold' },
  { value: 'silver', label: 'Silver' },
  { value: 'bronze', label: 'Bronze' },
]
type Asked = { kind: 'new' } | { kind: 'password' | 'remove'; user: User }

export function UsersPart() {
  const users = useUsers()
  const [asked, setAsked] = useState<Asked | null>(null)
  if (users.isPending) return <LoadingState label="Loading the users" />
  if (users.isError) return <ErrorState error={users.error} onRetry={() => void users.refetch()} />
  const all = users.data.pages.flatMap(({ items }) => items)
  const close = () => setAsked(null)
  return (
    <section className="settings-users">
      <div className="settings-head">
        <h2>Users</h2>
        <Button icon="plus" look="primary" onClick={() => setAsked({ kind: 'new' })}>
          Add a user
        </Button>
      </div>
      <p className="soft">The service level says who goes first when there is more to check than can be done.</p>
      <UserTable users={all} onAsk={setAsked} />
      {users.hasNextPage && (
        <div>
          <Button disabled={users.isFetchingNextPage} onClick={() => void users.fetchNextPage()}>
            Load more
          </Button>
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
      label="Users"
      rows={users}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'who',
          head: 'Who',
          cell: (user) => (
            <div className="settings-who">
              <strong>{user.name === '' ? user.email : user.name}</strong>
              {user.id === me.id && <Badge tone="good">You</Badge>}
              {user.disabled && <Badge tone="warn">Disabled</Badge>}
              {user.name !== '' && <span className="settings-more">{user.email}</span>}
            </div>
          ),
        },
        {
          key: 'role',
          head: 'Role',
          cell: (user) => (
            <Select
              aria-label={`Role of ${user.email}`}
              className="settings-choice"
              value={user.role}
              options={roles}
              onChange={(role) => put(user.id, { role: role as User['role'] })}
            />
          ),
        },
        {
          key: 'level',
          head: 'Service level',
          cell: (user) => (
            <Select
              aria-label={`Service level of ${user.email}`}
              className="settings-choice"
              value={user.level}
              options={levels}
              onChange={(level) => put(user.id, { level: level as User['level'] })}
            />
          ),
        },
        {
          key: 'since',
          head: 'Since',
          wideOnly: true,
          numbers: true,
          cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
        },
        {
          key: 'menu',
          head: <span className="only-heard">Actions</span>,
          cell: (user) => (
            <Menu
              label={`Actions for ${user.email}`}
              items={[
                { label: 'Set a new password…', icon: 'edit', run: () => onAsk({ kind: 'password', user }) },
                user.disabled
                  ? { label: 'Enable', icon: 'play', run: () => put(user.id, { disabled: false }) }
                  : {
                      label: 'Disable: nobody can sign in',
                      icon: 'pause',
                      disabled: user.id === me.id,
                      run: () => put(user.id, { disabled: true }),
                    },
                {
                  label: 'Remove…',
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
