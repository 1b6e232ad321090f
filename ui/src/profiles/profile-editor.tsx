import './editor.css'
import { useEffect, useRef, useState } from 'react'
import { Link, useParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useQueryState } from '../url/query-state.ts'
import { type Draft, draftOf, type Fault } from './draft.ts'
import { FaultContext } from './faults.ts'
import { PreviewPane } from './preview-pane.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import { forgetDraft, useDraft, useProfileToEdit } from './use-draft.ts'
import { usePreview } from './use-preview.ts'
import { useSaveProfile } from './use-save-profile.ts'
import { XmlEditor } from './xml-editor.tsx'

export default function ProfileEditor() {
  const { id } = useParams<{ id: string }>()
  const editing = useProfileToEdit(id)
  if (editing.isError)
    return (
      <Page title="Profile">
        <ErrorState error={editing.error} onRetry={() => void editing.refetch()}>
          It may have been removed. <Link href="/profiles">See all profiles</Link>
        </ErrorState>
      </Page>
    )
  if (editing.data === undefined)
    return (
      <Page title="Profile">
        <LoadingState label="Loading the profile" />
      </Page>
    )
  return <Editor key={id} id={id} {...editing.data} />
}

type Props = { id: string; base: Draft; unsaved: Draft | null; profile: Profile | null }

function Editor({ id, base, unsaved, profile }: Props) {
  const { draft, change, isDirty, discard, take, takePaused } = useDraft(id, base, unsaved)
  const [view, setView] = useQueryState('view', 'form')
  const [isRestored, setIsRestored] = useState(unsaved !== null)
  const preview = usePreview(draft)
  const form = useRef<HTMLFormElement>(null)
  // The one field that a new profile needs.
  useEffect(() => {
    if (id === 'new') form.current?.querySelector<HTMLElement>('.profiles-uri input')?.focus({ preventScroll: true })
  }, [id])

  function saved(stored: Profile) {
    take(draftOf(stored))
    setIsRestored(false)
    void forgetDraft(id)
    showToast(`“${stored.name}” is saved.`)
    if (id === 'new') navigate(`/profiles/${encodeURIComponent(stored.id)}`, { replace: true })
  }
  const { save, faults } = useSaveProfile(id, saved)
  const shownFaults: readonly Fault[] = save.isError ? faults : preview.faults
  const canSave = draft.sources.some(({ uri }) => uri.trim() !== '') && !save.isPending
  const submit = () => {
    if (canSave) save.mutate(draft)
  }
  useShortcuts('Profile', [
    {
      keys: 'Ctrl+s',
      label: 'Save the profile',
      run: submit,
    },
  ])

  return (
    <Page
      title={id === 'new' ? 'New profile' : draft.name || 'Profile'}
      lead={
        <>
          <Link href="/profiles">All profiles</Link> {draft.paused && <Badge tone="warn">Paused</Badge>}
        </>
      }
      actions={
        <>
          <Segments
            label="How to edit"
            value={view === 'xml' ? 'xml' : 'form'}
            segments={[
              { value: 'form', label: 'Form' },
              { value: 'xml', label: 'XML' },
            ]}
            onChange={setView}
          />
          {profile !== null && (
            <ProfileMenu profile={profile} isPaused={draft.paused} onPaused={({ paused }) => takePaused(paused)} />
          )}
        </>
      }
    >
      {view === 'xml' ? (
        <XmlEditor id={id} isDirty={isDirty} onSaved={saved} />
      ) : (
        <FaultContext value={shownFaults}>
          <form
            ref={form}
            className="profiles-editor"
            onSubmit={(event) => {
              event.preventDefault()
              submit()
            }}
          >
            <ProfileForm
              draft={draft}
              onChange={(changes) => {
                save.reset()
                change(changes)
              }}
            />
            <PreviewPane draft={draft} state={preview} />
            <div className="profiles-save">
              <p className="profiles-save-word" role="status">
                {save.isError && (
                  <span className="kit-field-error">
                    {faults.length > 0
                      ? `Not saved: ${faults.length === 1 ? 'one field needs' : `${faults.length} fields need`} mending.`
                      : messageOf(save.error)}
                  </span>
                )}
                {!save.isError && isDirty && (
                  <span className="soft">
                    {isRestored ? 'Unsaved changes of an earlier visit are here again.' : 'Unsaved changes.'}
                  </span>
                )}
                {!save.isError && !isDirty && id === 'new' && (
                  <span className="soft">An address is enough to begin with.</span>
                )}
                {!save.isError && !isDirty && id !== 'new' && <span className="faint">Everything is saved.</span>}
              </p>
              {isDirty && (
                <Button
                  onClick={() => {
                    discard()
                    setIsRestored(false)
                    save.reset()
                  }}
                >
                  Discard changes
                </Button>
              )}
              <Button type="submit" look="primary" disabled={!canSave || (!isDirty && id !== 'new')}>
                {save.isPending ? 'Saving…' : 'Save'}
              </Button>
            </div>
          </form>
        </FaultContext>
      )}
    </Page>
  )
}
