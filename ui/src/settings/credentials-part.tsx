import { Fragment, useState } from 'react'
import { Link } from 'wouter'
import { api, type List } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { Credentials } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { sentenceOf } from '../kit/strings.ts'
import { showToast } from '../kit/toast.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { formError } from './form-errors.ts'
import { strings } from './strings.ts'

const text = strings.credentials

export function CredentialsPart() {
  const [edited, setEdited] = useState<Credentials | 'new' | null>(null)
  const [leaving, setLeaving] = useState<Credentials | null>(null)
  const credentials = useGet<List<Credentials>>(['credentials'], '/credentials')
  if (credentials.isPending) return <LoadingState label={text.loading} />
  if (credentials.isError) return <ErrorState query={credentials} />
  const { items } = credentials.data
  return (
    <section className="kit-card kit-form">
      <div className="kit-spread">
        <h2>{text.title}</h2>
        {items.length > 0 && <Button label={text.new} icon="plus" onClick={() => setEdited('new')} />}
      </div>
      <p className="soft">{text.lead}</p>
      {items.length === 0 ? (
        <EmptyState
          icon="settings"
          title={text.emptyTitle}
          actions={<Button label={text.new} variant="primary" icon="plus" onClick={() => setEdited('new')} />}
          advice={text.empty}
        />
      ) : (
        <ul className="settings-list">
          {items.map((each) => (
            <li key={each.id} className="kit-row">
              <Description of={each} />
              <div className="kit-row">
                <Button label={text.edit} small onClick={() => setEdited(each)} />
                <Button label={text.remove} small variant="danger" onClick={() => setLeaving(each)} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {edited !== null && (
        <CredentialsDialog known={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {leaving !== null && <RemoveDialog leaving={leaving} onClose={() => setLeaving(null)} />}
    </section>
  )
}

function Description({ of }: { of: Credentials }) {
  const { name, kind, hint, problem, failedSince, failure, retryAt, usedAt, changedAt, profiles } = of
  return (
    <div className="settings-what">
      <p className="break">
        <strong>{name}</strong> <Badge>{text.shortKinds[kind]}</Badge>{' '}
        {problem !== '' && <Badge tone="warn">{text.unreadable}</Badge>}
        {failedSince !== null && <Badge tone="warn">{text.failing}</Badge>}
      </p>
      <p className="faint small break">
        {hint !== '' && <>{hint} · </>}
        {text.changed} <RelativeTime at={changedAt} /> · {text.used} <RelativeTime at={usedAt} /> ·{' '}
        {profiles.length === 0 ? text.unused : text.usedBy}{' '}
        {profiles.map((profile, n) => (
          <Fragment key={profile.id}>
            {n > 0 && ', '}
            <Link href={`/profiles/${encodeURIComponent(profile.id)}`}>{profile.name}</Link>
          </Fragment>
        ))}
      </p>
      {problem !== '' && <p className="small break">{sentenceOf(problem)}</p>}
      {failedSince !== null && (
        <p className="small break">
          {text.failedSince} <RelativeTime at={failedSince} />
          {failure !== '' && <>: {failure}</>} · {text.nextTry} <RelativeTime at={retryAt} />
        </p>
      )}
    </div>
  )
}

function RemoveDialog({ leaving, onClose }: { leaving: Credentials; onClose: () => void }) {
  const remove = useChange(['credentials'], ({ id }: Credentials) => api.delete(`/credentials/${id}`), {
    onSuccess: (_, { name }) => {
      onClose()
      showToast(text.removed(name))
    },
  })
  return (
    <ConfirmDialog
      title={text.removeTitle(leaving.name)}
      confirm={text.removeConfirm(leaving.name)}
      disabled={remove.isPending}
      error={formError(remove.error)}
      onConfirm={() => remove.mutate(leaving)}
      onClose={onClose}
    >
      {text.removeBody}
    </ConfirmDialog>
  )
}
