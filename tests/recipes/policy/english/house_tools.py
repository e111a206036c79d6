"""Tools as common servers for calendars, homes and clusters have them, with texts and objects as arguments."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told

MANY: dict[str, Any] = {"type": "array", "items": TEXT}


def one_of(*values: str, text: str = "The action to perform") -> dict[str, Any]:
    """Return the schema of an argument with listed values."""
    return {"type": "string", "enum": list(values), "description": text}


_GUEST: dict[str, Any] = {"type": "object", "properties": {"email": TEXT, "optional": FLAG}, "required": ["email"]}
_GUESTS = told("List of event attendees with their email addresses", {"type": "array", "items": _GUEST})
_CALENDAR = told("ID or name of the calendar (use 'primary' for the main calendar, or a name such as 'Work')")
_START, _END = told("Event start time in ISO 8601 format"), told("Event end time in ISO 8601 format")
_RANGE: dict[str, Any] = {"timeMin": told("Start time boundary"), "timeMax": told("End time boundary")}
_CHANGED: dict[str, Any] = {
    "summary": told("Title of the event"),
    "description": told("Description/notes for the event"),
    "start": _START,
    "end": _END,
    "location": told("Location of the event"),
    "attendees": _GUESTS,
    "sendUpdates": one_of("all", "none", text="Whether to send notifications"),
}
EVENTS = frame_of(
    "calendar",
    {
        "list-calendars": ("List all available calendars", {}),
        "list-events": ("List events from one or more calendars.", {"calendarId": _CALENDAR, **_RANGE}),
        "search-events": (
            "Search for events in a calendar by text query.",
            {"calendarId": _CALENDAR, "query": told("Free text search query"), **_RANGE},
        ),
        "get-event": ("Get details of a specific event by ID.", {"calendarId": _CALENDAR, "eventId": TEXT}),
        "create-event": (
            "Create a new calendar event.",
            {"calendarId": _CALENDAR, **_CHANGED, "recurrence": told("Recurrence rules in RFC5545 format", MANY)},
        ),
        "update-event": (
            "Update an existing calendar event. Only the given fields are changed.",
            {"calendarId": _CALENDAR, "eventId": told("ID of the event to update"), **_CHANGED},
        ),
        "delete-event": ("Delete a calendar event.", {"calendarId": _CALENDAR, "eventId": TEXT}),
        "respond-to-event": (
            "Respond to a calendar event invitation (accept, decline, maybe).",
            {
                "calendarId": _CALENDAR,
                "eventId": TEXT,
                "response": one_of("accepted", "declined", "tentative", text="Your response to the invitation"),
            },
        ),
        "get-freebusy": ("Query free/busy information for calendars.", {"calendars": MANY, **_RANGE}),
        "get-current-time": ("Get the current date and time.", {"timeZone": told("Optional IANA timezone")}),
    },
    required={
        "list-calendars": [],
        "list-events": ["calendarId"],
        "search-events": ["calendarId", "query"],
        "get-event": ["calendarId", "eventId"],
        "create-event": ["calendarId", "summary", "start", "end"],
        "update-event": ["calendarId", "eventId"],
        "delete-event": ["calendarId", "eventId"],
        "respond-to-event": ["calendarId", "eventId", "response"],
        "get-freebusy": ["calendars", "timeMin", "timeMax"],
        "get-current-time": [],
    },
    roles={"attendees": "email-address"},
)

_ENTITY = told("The entity ID of the device, e.g. light.living_room")
_DEVICE: dict[str, Any] = {"entity_id": _ENTITY}
HOUSE = frame_of(
    "home",
    {
        "list_devices": (
            "List all available Home Assistant devices, optionally filtered by domain or area",
            {"domain": told("Only list devices of this domain"), "area": told("Only list devices in this area")},
        ),
        "get_history": ("Retrieve state history of a Home Assistant entity", {**_DEVICE, "start_time": TEXT}),
        "lights_control": (
            "Control lights: turn on, turn off, set brightness or color",
            {"action": one_of("turn_on", "turn_off"), **_DEVICE, "brightness_pct": NUMBER},
        ),
        "climate_control": (
            "Control thermostats and air conditioning",
            {
                "action": one_of("set_temperature", "set_hvac_mode", "turn_off"),
                **_DEVICE,
                "temperature": told("Target temperature in degrees Celsius", {"type": "number"}),
                "hvac_mode": one_of("off", "heat", "cool", "auto", text="HVAC mode"),
            },
        ),
        "lock_control": ("Lock or unlock a smart lock", {"action": one_of("lock", "unlock"), **_DEVICE}),
        "cover_control": (
            "Control covers such as blinds, shutters, curtains and garage doors",
            {"action": one_of("open", "close", "stop", "set_position"), **_DEVICE, "position": NUMBER},
        ),
        "media_player_control": (
            "Control media players: playback, volume and source",
            {"action": one_of("play", "pause", "stop", "play_media"), **_DEVICE, "media_content_id": TEXT},
        ),
        "notify": ("Send notifications through Home Assistant", {"message": told("The notification message")}),
    },
    required={
        "list_devices": [],
        "get_history": ["entity_id"],
        "notify": ["message"],
        **{
            name: ["action", "entity_id"]
            for name in ("lights_control", "climate_control", "lock_control", "cover_control", "media_player_control")
        },
    },
)

_NAMED: dict[str, Any] = {
    "name": told("Name of the device or entity"),
    "area": told("Area (room) of the device"),
    "floor": told("Floor of the device"),
}
_KIND: dict[str, Any] = {**_NAMED, "domain": told("Domain of devices/entities, such as light, switch or fan", MANY)}
_LOCK: dict[str, Any] = {"name": told("Name of the lock, e.g. 'Front Door'")}
ROOMS = frame_of(
    "home",
    {
        "GetLiveContext": ("Provides real-time information about the CURRENT state of devices or areas.", {}),
        "HassTurnOn": ("Turns on/opens/presses a device or entity.", _KIND),
        "HassTurnOff": ("Turns off/closes a device or entity.", _KIND),
        "HassLightSet": (
            "Sets the brightness percentage or color of a light",
            {
                **_NAMED,
                "brightness": told("The percentage of brightness, where 0 is off", NUMBER),
                "temperature": told("Color temperature in Kelvin", NUMBER),
            },
        ),
        "HassClimateSetTemperature": (
            "Sets the target temperature of a climate device or entity (heating, thermostat)",
            {**_NAMED, "temperature": told("Target temperature in degrees Celsius", {"type": "number"})},
        ),
        "HassSetVolume": (
            "Sets the volume percentage of a media player (speaker)",
            {**_NAMED, "volume_level": told("The volume percentage of the media player", NUMBER)},
        ),
        "HassVacuumStart": ("Starts a vacuum", _NAMED),
        "HassBroadcast": ("Broadcast a spoken message through the home", {"message": told("The message")}),
        "HassListAddItem": (
            "Add item to a todo list",
            {"item": told("The item to add"), "name": told("Name of the list")},
        ),
        "lock_door": ("Locks the door lock with the given name.", _LOCK),
        "unlock_door": ("Unlocks the door lock with the given name.", _LOCK),
    },
    required={
        "GetLiveContext": [],
        "HassTurnOn": [],
        "HassTurnOff": [],
        "HassLightSet": [],
        "HassClimateSetTemperature": ["temperature"],
        "HassSetVolume": ["volume_level"],
        "HassVacuumStart": [],
        "HassBroadcast": ["message"],
        "HassListAddItem": ["item", "name"],
        "lock_door": ["name"],
        "unlock_door": ["name"],
    },
)

_SPACE = {"namespace": told("Kubernetes namespace")}
_TYPE = {"resourceType": told("Type of resource (e.g., pods, deployments, services, configmaps, secrets)")}
_RESOURCE: dict[str, Any] = {**_TYPE, "name": told("Name of the resource"), **_SPACE}
CLUSTER = frame_of(
    "kubernetes",
    {
        "kubectl_get": ("Get or list Kubernetes resources by resource type, name, and namespace", _RESOURCE),
        "kubectl_describe": ("Describe Kubernetes resources by resource type, name, and namespace", _RESOURCE),
        "kubectl_logs": ("Get logs from Kubernetes resources like pods, deployments, or jobs", _RESOURCE),
        "kubectl_apply": (
            "Apply a Kubernetes YAML manifest from a string or file",
            {"manifest": told("YAML manifest to apply"), **_SPACE},
        ),
        "kubectl_delete": ("Delete Kubernetes resources by resource type, name, labels, or from a file", _RESOURCE),
        "kubectl_scale": (
            "Scale a Kubernetes deployment",
            {
                "name": told("Name of the resource to scale"),
                **_SPACE,
                "replicas": told("Number of replicas to scale to", {"type": "number"}),
                "resourceType": told("Resource type to scale (deployment, replicaset, statefulset)"),
            },
        ),
        "kubectl_patch": ("Update field(s) of a resource using strategic merge patch or JSON patch", _RESOURCE),
        "kubectl_rollout": (
            "Manage the rollout of a resource (e.g., deployment, daemonset, statefulset)",
            {
                "subCommand": one_of("history", "pause", "restart", "resume", "status", "undo"),
                "resourceType": one_of("deployment", "daemonset", "statefulset"),
                "name": told("Name of the resource"),
                **_SPACE,
            },
        ),
        "install_helm_chart": (
            "Install a Helm chart",
            {"name": told("Release name"), "chart": told("Chart name"), **_SPACE},
        ),
        "uninstall_helm_chart": ("Uninstall a Helm release", {"name": told("Release name"), **_SPACE}),
        "exec_in_pod": (
            "Execute a command in a Kubernetes pod or container and return the output",
            {"name": told("Name of the pod"), **_SPACE, "command": told("Command to execute in the pod", MANY)},
        ),
    },
    required={
        "kubectl_get": ["resourceType"],
        "kubectl_describe": ["resourceType", "name"],
        "kubectl_logs": ["resourceType", "name", "namespace"],
        "kubectl_apply": [],
        "kubectl_delete": ["resourceType"],
        "kubectl_scale": ["name", "replicas"],
        "kubectl_patch": ["resourceType", "name"],
        "kubectl_rollout": ["subCommand", "resourceType", "name", "namespace"],
        "install_helm_chart": ["name", "chart", "namespace"],
        "uninstall_helm_chart": ["name", "namespace"],
        "exec_in_pod": ["name", "command"],
    },
)
