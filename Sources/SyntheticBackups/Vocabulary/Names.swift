/// Names that people give to things: many scripts, characters that JSON escapes, and some beyond the Basic Multilingual Plane.
enum Names {
  static let cars: [StaticString] = [
    "City Hatch", "Family Hybrid", "Der \"Blitz\"", "Комфорт-седан", "Ақ арғымақ", "Şehir arabası", "Сонячний кросовер", "家用电动车",
    "السيارة الصغيرة", "ファミリーカー", "Ο Μπλε", "Wagon / Tow", "La Petite Électrique", "🚙 Road trip", "C:\\Garage\\2", "बिजली",
  ]

  static let maintenance: [StaticString] = [
    "Rotate tyres", "Brake fluid", "Cabin filter", "Inspection / TÜV", "Замена колодок", "Шина ауыстыру", "Lastik değişimi",
    "Заміна фільтра", "更换空调滤芯", "ワイパー交換", "Coolant \"G48\"", "فحص البطارية", "Winter tyres ❄️", "Wheel alignment",
  ]

  static let documents: [StaticString] = [
    "Insurance", "Registration", "Versicherung", "Страховка", "Сақтандыру", "Sigorta", "保险单", "車検証", "Purchase contract",
    "Warranty 🔋",
    "Wallbox: invoice", "Техпаспорт",
  ]

  static let ideas: [StaticString] = [
    "Roof box", "Wallbox at home", "Снять плёнку", "Dachträger", "Bisiklet taşıyıcı", "车载冰箱", "ドラレコ", "Dash cam \"4K\"",
    "Tow bar",
    "Solar carport ☀️", "Килимки", "Seat covers",
  ]

  static let files: [StaticString] = [
    "insurance-", "invoice-", "registration-", "warranty-", "Prüfbericht-", "договор-", "photo_", "scan ",
  ]

  static let links: [StaticString] = [
    "https://example.com/roof-box?item=", "https://example.org/ideas/", "http://example.net/forum/t/",
    "https://example.com/shop/a%20b/",
  ]

  static let wheels: [StaticString] = [
    "205/55 R16", "215/50 R17", "225/45 R18", "235/45 R18", "235/55 R19", "255/40 R20", "195/65 R15", "245/45 ZR19",
  ]
}
