"""Rules that people write for calendars with guests as objects, for homes with rooms and settings, and for clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.house_tools import CLUSTER, EVENTS, HOUSE, ROOMS
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

_MOVED = {
    "escalate update-event start is given start like *",
    "escalate update-event end is given end like *",
}
_INVITED = {
    "escalate create-event attendees is given the number of items of attendees > 0",
    "escalate update-event attendees is given",
}
_LOOKED = {
    "deny create-event delete-event respond-to-event update-event",
    "allow get-event get-freebusy list-calendars list-events search-events",
}
_PRIMARY = "allow create-event calendarId is primary"

NAMESPACES = "resourceType is namespace or Namespace or NAMESPACE or namespaces or Namespaces or NAMESPACES or ns"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"escalate delete-event", *_MOVED}, "Ask me before you cancel or reschedule a meeting."),
        (_MOVED, "Changing the time of an existing event needs my confirmation."),
        ({"deny update-event start is given start like *"}, "Never change the start time of an event."),
        (_INVITED, "Ask me before inviting other people to an event."),
        (_INVITED, "Never invite anyone to an event without my approval."),
        (
            {
                (
                    "deny create-event attendees is given the number of items of attendees > 0 unless email-address to "
                    "*@acme.example"
                ),
                "deny update-event attendees is given unless email-address to *@acme.example",
            },
            "Nobody outside acme.example may be invited to an event.",
        ),
        (
            {
                f"{_PRIMARY} attendees is left out",
                f"{_PRIMARY} the number of items of attendees <= 0",
            },
            "You may add events to my primary calendar as long as nobody else is invited.",
        ),
        ({_PRIMARY}, "You may add events to my primary calendar."),
        (
            {"allow create-event update-event calendarId is ada@group.calendar.example"},
            "You can create and update events in the calendar ada@group.calendar.example.",
        ),
        (
            {"escalate create-event recurrence is given recurrence like *"},
            "Ask me first if an event is going to repeat.",
        ),
        (
            {"deny create-event the number of such calls in any 24 hours > 4"},
            "Do not create more than four events a day.",
        ),
        (_LOOKED, "You may look at my calendars but not change anything in them."),
        (_LOOKED, "You may look at my calendars but not change them."),
        (
            {"deny respond-to-event response is accepted"},
            "Don't accept invitations for me, although declining them is fine.",
        ),
    ],
)
def test_events_and_their_guests_and_times(wanted: set[str], text: str):
    assert wanted == meaning_of(text, EVENTS)


@pytest.mark.parametrize(
    "text",
    [
        "Never book more than four meetings a day.",  # the day of the call, or of the meetings?
        "Schedule at most three events per day.",
        "Never create more than four events on any day.",
        "Never delete events from my primary calendar.",  # it has an id, too
        "You may add events to my primary calendar but not delete them.",
        "Nobody except Anna may be invited.",
        "Nobody may be invited to an event on Sundays.",
        "Never invite people in the evening.",
        "You may invite people to events.",
        "You may update events if nobody is invited.",
        "Ask me first if an event is not going to repeat.",
        "Ask me first if an event is going to repeat every day.",
        "You may look at my calendars but not change them on Sundays.",
        "You may look at my calendars but not delete anything in them.",
        "You may not look at my calendars but change them.",
        "No event you create may last longer than two hours.",
    ],
)
def test_what_is_not_sure_about_events_is_refused(text: str):
    assert set() == meaning_of(text, EVENTS)


_NURSERY = (
    "deny HassClimateSetTemperature HassLightSet HassSetVolume HassTurnOff HassTurnOn HassVacuumStart area is nursery "
    "or Nursery"
)
_TWO = "area is living room or Living Room or Living room or living_room"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (ROOMS, {_NURSERY}, "Leave everything in the nursery alone."),
        (ROOMS, {_NURSERY}, "Don't touch anything in the nursery."),
        (ROOMS, {f"allow HassVacuumStart {_TWO}"}, "You may start the vacuum in the living room."),
        (ROOMS, {"escalate HassVacuumStart area is hall or Hall"}, "Ask me before starting the vacuum in the hall."),
        (
            ROOMS,
            {
                "allow HassVacuumStart area is kitchen or Kitchen",
                "deny HassVacuumStart unless area is kitchen or Kitchen",
            },
            "Only start the vacuum in the kitchen.",
        ),
        (ROOMS, {"allow HassVacuumStart"}, "You may start the vacuum in every room."),
        (ROOMS, {"deny HassSetVolume volume_level > 40"}, "Keep the speaker volume at 40 percent or lower."),
        (
            ROOMS,
            {"deny HassSetVolume volume_level > 40"},
            "The volume of the speakers must stay at 40 percent or lower.",
        ),
        (
            ROOMS,
            {"deny HassLightSet brightness is given brightness < 30"},
            "Keep the brightness at 30 percent or higher.",
        ),
        (
            ROOMS,
            {"allow HassClimateSetTemperature temperature >= 18 and <= 22"},
            "You can set the heating anywhere between 18 and 22 degrees.",
        ),
        (ROOMS, {"deny HassClimateSetTemperature temperature > 22"}, "Don't set the heating higher than 22 degrees."),
        (
            ROOMS,
            {"escalate HassClimateSetTemperature temperature > 23"},
            "Temperatures above 23 degrees need my approval.",
        ),
        (
            HOUSE,
            {"deny climate_control temperature is given temperature > 22"},
            "Don't set the heating higher than 22 degrees.",
        ),
        (ROOMS, {"deny unlock_door name like *front*"}, "Never unlock the front door."),
        (HOUSE, {"deny lock_control action is unlock entity_id like *front*"}, "Never unlock the front door."),
        (
            HOUSE,
            {"escalate lock_control action is unlock entity_id like *front*"},
            "Ask me before you unlock the front door.",
        ),
        (
            ROOMS,
            {"allow HassTurnOff HassTurnOn domain is light"},
            "You may switch the lights on and off in every room.",
        ),
        (ROOMS, {"allow HassTurnOn domain is light area is hall or Hall"}, "You may turn on the lights in the hall."),
        (
            HOUSE,
            {"allow lights_control action is turn_on or turn_off"},
            "You may switch the lights on and off and dim them.",
        ),
        (ROOMS, {"deny HassBroadcast the time is between 22:00 and 07:00"}, "No broadcasts between 10 pm and 7 am."),
    ],
)
def test_rooms_and_settings_of_a_home(frame: Policy, wanted: set[str], text: str):
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    "text",
    [
        "Never set the temperature above 4000.",  # of the room, or of the color?
        "You may set the heating between 18 and 22.",
        "Leave everything in the nursery lamp alone.",
        "Leave everything in the morning alone.",
        "Leave everything except the nursery alone.",
        "Leave everything in the nursery and the bedroom alone.",
        "Keep the volume at 60 percent or lower in the office.",
        "Don't keep the volume at 60 percent or lower.",
        "Keep the speaker volume at 60 percent.",
        "You may unlock the front door.",
        "Only unlock the front door.",
        "Never unlock the front door light.",
        "Never unlock any door except the front door.",
        "You may switch the lights on and off and dim them.",  # another tool dims
        "You may turn the lights off and unlock the door.",
        "Nothing in the server room may be switched off.",  # a light is off at no brightness
    ],
)
def test_what_is_not_sure_about_a_home_is_refused(text: str):
    assert set() == meaning_of(text, ROOMS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "deny exec_in_pod",
                "deny kubectl_delete uninstall_helm_chart namespace is production",
                f"deny kubectl_delete name is given name is production {NAMESPACES}",
            },
            "Nothing in the production namespace may be deleted.",
        ),
        (
            {
                "escalate exec_in_pod",
                "escalate kubectl_delete uninstall_helm_chart namespace is kube-system",
                (
                    "escalate kubectl_delete resourceType like *namespace* or ns or ns/* or ns,* or *,ns or *,ns,* or "
                    "*customresourcedefinition* or *crd*"
                ),
            },
            "Ask me before you delete anything in the kube-system namespace.",
        ),
        ({"allow kubectl_describe kubectl_get kubectl_logs"}, "You may view resources and logs in any namespace."),
        ({"allow kubectl_describe kubectl_get kubectl_logs"}, "You may get resources and logs."),
        ({"allow kubectl_describe kubectl_get namespace is dev"}, "You may see resources in the dev namespace."),
        ({"allow kubectl_logs"}, "You may read logs."),
        (
            {"escalate exec_in_pod", "escalate kubectl_scale replicas > 5"},
            "Ask me before scaling a deployment to more than five replicas.",
        ),
        ({"deny exec_in_pod kubectl_delete uninstall_helm_chart"}, "Never delete resources."),
    ],
)
def test_resources_of_a_cluster(wanted: set[str], text: str):
    assert wanted == meaning_of(text, CLUSTER)


_KIND = {"apiVersion": TEXT, "kind": TEXT, "name": TEXT, "namespace": TEXT}
_KINDS = frame_of(
    "cluster",
    {
        "pods_list": ("List all the pods in the current cluster from all namespaces", {"labelSelector": TEXT}),
        "pods_list_in_namespace": ("List all the pods in the specified namespace", {"namespace": TEXT}),
        "pods_get": ("Get a Pod in the current or provided namespace", {"name": TEXT, "namespace": TEXT}),
        "pods_log": ("Get the logs of a Pod", {"name": TEXT, "namespace": TEXT}),
        "events_list": ("List the events in the current cluster", {"namespace": TEXT}),
        "resources_list": ("List resources by their apiVersion and kind", {"apiVersion": TEXT, "kind": TEXT}),
        "resources_delete": ("Delete a resource by its apiVersion, kind and name", _KIND),
        "resources_scale": ("Get or update the scale of a resource", {**_KIND, "scale": NUMBER}),
        "helm_install": ("Install (deploy) a Helm chart", {"chart": TEXT, "namespace": TEXT}),
        "helm_list": ("List all the Helm releases", {"namespace": TEXT}),
        "helm_uninstall": ("Uninstall a Helm release", {"name": TEXT, "namespace": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"allow events_list pods_get pods_list pods_list_in_namespace pods_log"},
            "You may look at pods, their logs and events in any namespace.",
        ),
        ({"allow pods_list pods_list_in_namespace"}, "You may list pods."),
        (
            {"allow resources_scale kind is Deployment namespace is staging scale >= 0 and <= 5"},
            "You can scale deployments in the staging namespace up to 5 replicas.",
        ),
        (
            {"allow resources_scale kind is Deployment scale >= 0 and <= 5"},
            "Scaling a deployment is allowed up to five replicas.",
        ),
        ({"deny resources_delete kind is Secret or Service"}, "Never delete secrets and services."),
        (
            {"deny resources_delete kind is Secret unless name is db-password"},
            "Never delete secrets other than db-password.",
        ),
        ({"allow resources_list kind is ConfigMap or StatefulSet"}, "You may list config maps and stateful sets."),
        ({"escalate helm_install helm_uninstall"}, "Ask before you install or uninstall a Helm release."),
        (
            {"allow helm_install helm_uninstall namespace is sandbox"},
            "You may install and uninstall Helm charts in the sandbox namespace.",
        ),
    ],
)
def test_kinds_of_resources_and_charts(wanted: set[str], text: str):
    assert wanted == meaning_of(text, _KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "No deployments on Fridays.",
        "Ask before each deployment.",
        "Never delete the api deployment.",
        "Never delete old deployments.",
        "Never read secret names.",
        "Never share secrets.",
        "Never uninstall Helm values.",
        "Never uninstall Helm chart names.",
    ],
)
def test_what_is_not_sure_about_kinds_of_resources_is_refused(text: str):
    assert meaning_of(text, _KINDS) == set()
