/// The output of `coffer inspect --json` for two of the examples, without spaces and broken into lines; FILE replaces the path.
extension InspectedExamples {
  static let reports: [String: String] = [
    "ev-charging-tracker-v5": #"""
    {"formatVersion":1,"files":[{"file":"FILE","format":"ev-charging-tracker","title":"EV charging tracker (iOS),
     as the shipped app writes it","dialect":null,
    "reasons":["/cars/*/milleageSyncedAt exists","/expenses/*/energyCharged exists","/cars exists","/expenses exists",
    "/metadata/databaseSchemaVersion exists","not every string at /cars/*/expenseCurrency matches ^[A-Z]{3}$",
    "not every string at /expenses/*/currency matches ^[A-Z]{3}$"],
    "candidates":[],
    "version":{"found":"5","number":5,"oldestKnown":5,"current":9},"import":{"possible":true,"reason":"older",
    "migration":{"format":null,
    "version":9}},"createdAt":{"text":"2026-01-13T07:00:00Z","instant":"2026-01-13T07:00:00Z"},"app":"2026.1.1 (150)",
    "device":"sample-phone.local",
    "container":"json","compression":null,"size":{"stored":982,"document":982},"root":"object",
    "collections":[
    {"pointer":"/cars","title":"cars","known":true,"present":true,"count":1,"kinds":["object"],
    "date":"createdAt","earliest":"2025-11-02T09:00:00Z","latest":"2025-11-02T09:00:00Z","undated":0,
    "nested":[],"bytes":312,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/expenses","title":"expenses","known":true,"present":true,"count":1,"kinds":["object"],
    "date":"date","earliest":"2025-11-02T09:00:00Z","latest":"2025-11-02T09:00:00Z","undated":0,
    "nested":[],"bytes":325,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/plannedMaintenance","title":"planned maintenance","known":true,"present":true,"count":0,"kinds":[],
    "date":"createdAt","earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":2,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/delayedNotifications","title":"notifications","known":true,"present":true,"count":0,"kinds":[],
    "date":"createdAt","earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":2,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/documents","title":"documents","known":true,"present":false,"count":0,"kinds":[],
    "date":"createdAt","earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":null,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/ideas","title":"ideas","known":true,"present":false,"count":0,"kinds":[],
    "date":"createdAt","earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":null,"unknownFields":{"fields":[],"others":0}}],
    "members":[
    {"name":"metadata","kind":"object","count":4,"unknownFields":{"fields":[],"others":0}},
    {"name":"userSettings","kind":"object","count":2,"unknownFields":{"fields":[],"others":0}}],
    "furtherMembers":0,"unknownFields":{"fields":[],"others":0},"settings":true,"attachments":null,
    "warnings":[
    {"code":"older-version","message":"version 5 is older than the current version 9",
    "pointer":"/metadata/databaseSchemaVersion"}],"error":null}]}
    """#,
    "keeptrack": #"""
    {"formatVersion":1,"files":[{"file":"FILE","format":"keeptrack","title":"KeepTrack (intake and medication log,
     Apple platforms)","dialect":null,
    "reasons":["/entries exists","/intakeTypes exists","/goals exists","/exportDate exists",
    "/entries/*/goalMet exists","/entries/*/units exists","/intakeTypes/*/descrip exists","/intakeTypes/*/unit exists",
    "/goals/*/dosage exists","/goals/*/dates exists"],
    "candidates":[],
    "version":{"found":"1","number":1,"oldestKnown":1,"current":1},"import":{"possible":true,"reason":"current",
    "migration":null},"createdAt":{"text":"2026-01-20T21:05:00Z","instant":"2026-01-20T21:05:00Z"},"app":null,"device":null,
    "container":"json","compression":null,"size":{"stored":1620,"document":1620},"root":"object",
    "collections":[
    {"pointer":"/entries","title":"entries","known":true,"present":true,"count":3,"kinds":["object"],
    "date":"date","earliest":"2026-01-19T22:10:45Z","latest":"2026-01-20T09:00:00Z","undated":0,
    "nested":[],"bytes":589,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/intakeTypes","title":"intake types","known":true,"present":true,"count":2,"kinds":["object"],
    "date":null,"earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":403,"unknownFields":{"fields":[],"others":0}},
    {"pointer":"/goals","title":"goals","known":true,"present":true,"count":1,"kinds":["object"],
    "date":null,"earliest":null,"latest":null,"undated":0,
    "nested":[],"bytes":316,"unknownFields":{"fields":[],"others":0}}],
    "members":[
    {"name":"exportDate","kind":"string","count":null,"unknownFields":{"fields":[],"others":0}},
    {"name":"settings","kind":"object","count":6,"unknownFields":{"fields":[],"others":0}},
    {"name":"version","kind":"number","count":null,"unknownFields":{"fields":[],"others":0}}],
    "furtherMembers":0,"unknownFields":{"fields":[],"others":0},"settings":true,"attachments":null,
    "warnings":[],"error":null}]}
    """#,
  ]
}
