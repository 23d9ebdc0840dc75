"""A small shop that really runs: a state, tools that read it and tools that change it.

Every tool is one method: its annotations give the JSON Schema, its docstring the description, so that
`tools.json` and what the shop accepts cannot drift apart.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, TypedDict

from schemas import ShopError, check, describe, effect, read

PRODUCTS = {  # sku: name, category, price in euro, pieces in stock
    "KET-01": ("Copper kettle", "kettles", 64.0, 5),
    "KET-02": ("Travel kettle", "kettles", 39.5, 0),
    "MUG-01": ("Speckled mug", "mugs", 12.0, 40),
    "MUG-02": ("Tall mug", "mugs", 14.5, 3),
    "TEA-01": ("Smoky black tea", "teas", 8.25, 60),
    "TEA-02": ("Mint tea", "teas", 6.75, 80),
    "TEA-03": ("Harvest oolong", "teas", 11.0, 0),
    "POT-01": ("Glass teapot", "pots", 28.0, 9),
    "POT-02": ("Iron teapot", "pots", 46.0, 2),
    "TIN-01": ("Storage tin", "extras", 9.5, 25),
    "SPN-01": ("Honey spoon", "extras", 4.25, 70),
    "TRY-01": ("Oak tray", "extras", 31.0, 6),
}
CUSTOMERS = {  # number: name, loyalty, street, city, postcode
    "C-101": ("Mara Olden", "gold", "4 Heron Lane", "Wexbury", "WX2 1AB"),
    "C-102": ("Tomas Brill", "silver", "19 Mill Steps", "Orford Quay", "OQ1 7TT"),
    "C-103": ("Ines Calder", "none", "2 Chapel Row", "Wexbury", "WX1 5QP"),
    "C-104": ("Jonas Weir", "gold", "88 Station Road", "Tarnhill", "TH4 4LN"),
    "C-105": ("Priya Lund", "none", "31 Alder Court", "Tarnhill", "TH2 9CD"),
    "C-106": ("Otto Fenn", "silver", "7 Harbour View", "Orford Quay", "OQ3 2BE"),
    "C-107": ("Lila Marsh", "none", "15 Quarry Hill", "Dunmere", "DM5 8FG"),
    "C-108": ("Sami Thorne", "gold", "60 Linden Walk", "Dunmere", "DM1 3HJ"),
}
ORDERS = {  # number: customer, status, delivered on, percent already taken off, pieces of each sku
    "SO-1001": ("C-101", "open", None, 0, {"KET-01": 1}),
    "SO-1002": ("C-102", "open", None, 0, {"POT-01": 1, "TEA-01": 2}),
    "SO-1003": ("C-103", "shipped", None, 0, {"MUG-02": 2}),
    "SO-1004": ("C-104", "delivered", "2026-03-10", 0, {"MUG-01": 2}),
    "SO-1005": ("C-105", "delivered", "2026-01-12", 0, {"TRY-01": 1}),
    "SO-1006": ("C-103", "delivered", "2026-02-27", 0, {"KET-01": 1}),
    "SO-1007": ("C-106", "delivered", "2026-02-20", 0, {"TEA-02": 4}),
    "SO-1008": ("C-106", "shipped", None, 0, {"TIN-01": 2, "TEA-03": 1}),
    "SO-1009": ("C-107", "delivered", "2026-03-12", 0, {"POT-02": 1}),
    "SO-1010": ("C-108", "open", None, 0, {"TEA-01": 1, "SPN-01": 2}),
    "SO-1011": ("C-101", "open", None, 0, {"POT-01": 1, "MUG-01": 4}),
    "SO-1012": ("C-104", "open", None, 10, {"TRY-01": 1, "POT-02": 1}),
    "SO-1013": ("C-105", "open", None, 0, {"KET-01": 1, "TEA-02": 1}),
    "SO-1014": ("C-107", "open", None, 0, {"MUG-02": 2, "TEA-02": 1}),
    "SO-1015": ("C-108", "held", None, 0, {"KET-01": 1}),
    "SO-1016": ("C-102", "delivered", "2026-03-14", 0, {"TEA-01": 3, "TIN-01": 1}),
    "SO-1017": ("C-106", "delivered", "2026-03-13", 0, {"POT-01": 1}),
    "SO-1018": ("C-106", "delivered", "2026-03-13", 0, {"MUG-01": 3}),
    "SO-1019": ("C-101", "open", None, 0, {"TIN-01": 3}),
    "SO-1020": ("C-101", "open", None, 0, {"SPN-01": 5}),
    "SO-1021": ("C-104", "held", None, 0, {"POT-02": 1, "TEA-01": 1}),
    "SO-1022": ("C-108", "held", None, 0, {"TRY-01": 1, "MUG-01": 2}),
}
POLICIES = {
    "returns": "Unused goods come back within 30 days of delivery. Damaged or wrong goods: full refund.",
    "shipping": "Orders leave within two days. Once packed, the address stays as it is.",
    "discounts": "Gold 10 %, silver 5 %. One discount an order, never two.",
    "warranty": "Kettles 24 months, everything else 12 months.",
    "goodwill": "More than a week late: 5 euro back.",
}


class Address(TypedDict):
    """Where an order goes."""

    street: Annotated[str, "House number and street"]
    city: Annotated[str, "Town"]
    postcode: Annotated[str, "Postcode, such as WX2 1AB"]


class Item(TypedDict):
    """One line of an order."""

    sku: Annotated[str, "Article number, such as MUG-01"]
    quantity: Annotated[int, "Pieces"]


OrderId = Annotated[str, "Order number, such as SO-1004"]
Customer = Annotated[str, "Customer number, such as C-101, or mail address"]
Reason = Annotated[Literal["changed_mind", "damaged", "wrong_item", "late"], "Why"]


class Shop:
    """The shop as it stands on the morning of 2026-03-16; `state` is plain data and compares with ==."""

    def __init__(self) -> None:
        customers = {
            number: {
                "name": name,
                "mail": name.lower().replace(" ", ".") + "@example.test",
                "loyalty": loyalty,
                "address": {"street": street, "city": city, "postcode": postcode},
            }
            for number, (name, loyalty, street, city, postcode) in CUSTOMERS.items()
        }
        orders = {
            number: {
                "customer_id": customer,
                "status": status,
                "items": dict(items),
                "total": _discounted(_price(items), percent),
                "discount": percent,
                "refunded": 0.0,
                "address": dict(customers[customer]["address"]),
                "delivered": delivered,
            }
            for number, (customer, status, delivered, percent, items) in ORDERS.items()
        }
        stock = {sku: pieces for sku, (_, _, _, pieces) in PRODUCTS.items()}
        self.state: dict[str, Any] = {
            "customers": customers,
            "orders": orders,
            "stock": stock,
            "mails": [],
            "tickets": [],
        }

    def call(self, name: str, arguments: str) -> str:
        """Run one call as a model writes it (a wrapped name, arguments as JSON text) and return the output text."""
        tool = TOOLS.get(re.sub(r"^(functions\.|mcp__shop__)", "", name))
        if tool is None:
            return f"Error: no tool {name}"
        try:
            values = json.loads(arguments)
            check(values, tool["function"]["parameters"], "arguments")
            return json.dumps(getattr(self, tool["function"]["name"])(**values))
        except json.JSONDecodeError:
            return "Error: arguments are not JSON"
        except ShopError as refusal:
            return f"Error: {refusal}"

    # Reads

    @read
    def get_order(self, order_id: OrderId) -> dict[str, Any]:
        """Show one order: status, items, total, what was refunded."""
        number, order = self._order(order_id)
        return {"order_id": number, **{key: value for key, value in order.items() if key != "address"}}

    @read
    def get_customer(self, customer: Customer) -> dict[str, Any]:
        """Show a customer's name, mail address, loyalty level and address."""
        number = self._customer(customer)
        return {"customer_id": number, **self.state["customers"][number]}

    @read
    def find_orders(self, customer: Customer) -> list[str]:
        """List the order numbers of a customer."""
        number = self._customer(customer)
        return [key for key, order in self.state["orders"].items() if order["customer_id"] == number]

    @read
    def search_catalog(
        self,
        query: Annotated[str, "Words to look for"],
        category: Annotated[Literal["any", "kettles", "mugs", "teas", "pots", "extras"], "Shelf to look on"] = "any",
    ) -> list[dict[str, Any]]:
        """Search the articles by words; the best matches come first."""
        words = set(query.lower().split())
        hits = [
            (-len(words & set(name.lower().split())), {"sku": sku, "name": name, "price": price})
            for sku, (name, shelf, price, _) in PRODUCTS.items()
            if category in ("any", shelf)
        ]
        return [article for rank, article in sorted(hits, key=lambda hit: hit[0]) if rank][:3]

    @read
    def check_stock(self, sku: Annotated[str, "Article number, such as MUG-01"]) -> dict[str, Any]:
        """Tell how many pieces of an article are left."""
        if sku not in PRODUCTS:
            raise ShopError(f"no article {sku}")
        return {"sku": sku, "pieces": self.state["stock"][sku]}

    @read
    def get_policy(
        self,
        topic: Annotated[Literal["returns", "shipping", "discounts", "warranty", "goodwill"], "Which rule"],
    ) -> str:
        """Quote a rule of the house."""
        return POLICIES[topic]

    # Effects

    @effect
    def cancel_order(self, order_id: OrderId, reason: Reason) -> dict[str, Any]:
        """Cancel an order that has not been packed; money is paid back by refund_order."""
        number, order = self._order(order_id, "open", "held")
        self._move_stock(order["items"], back=True)
        order.update(status="cancelled", reason=reason)
        return {"order_id": number, "status": "cancelled"}

    @effect
    def refund_order(
        self, order_id: OrderId, amount: Annotated[float, "Euro to pay back"], reason: Reason
    ) -> dict[str, Any]:
        """Pay back all or part of a delivered or cancelled order."""
        number, order = self._order(order_id, "delivered", "cancelled")
        left = round(order["total"] - order["refunded"], 2)
        if not 0 < amount <= left:
            raise ShopError(f"{left} euro are left to refund on {number}")
        order.update(refunded=round(order["refunded"] + amount, 2), reason=reason)
        return {"order_id": number, "refunded": order["refunded"]}

    @effect
    def change_address(self, order_id: OrderId, address: Address) -> dict[str, Any]:
        """Send an order that has not been packed somewhere else."""
        number, order = self._order(order_id, "open", "held")
        order["address"] = address
        return {"order_id": number, "postcode": address["postcode"]}

    @effect
    def replace_items(self, order_id: OrderId, items: Annotated[list[Item], "All lines wanted"]) -> dict[str, Any]:
        """Replace the items of an order that has not been packed; the price starts anew, without discount."""
        number, order = self._order(order_id, "open", "held")
        wanted = {item["sku"]: item["quantity"] for item in items}
        for sku, pieces in wanted.items():
            if self.state["stock"].get(sku, 0) + order["items"].get(sku, 0) < pieces:
                raise ShopError(f"not enough of {sku}")
        self._move_stock(order["items"], back=True)
        self._move_stock(wanted)
        order.update(items=wanted, total=_price(wanted), discount=0)
        return {"order_id": number, "total": order["total"]}

    @effect
    def apply_discount(self, order_id: OrderId, percent: Annotated[Literal[5, 10, 15], "Per cent"]) -> dict[str, Any]:
        """Take a percentage off an order that has not been packed."""
        number, order = self._order(order_id, "open", "held")
        order.update(total=_discounted(order["total"], percent), discount=order["discount"] + percent)
        return {"order_id": number, "total": order["total"]}

    @effect
    def release_order(self, order_id: OrderId) -> dict[str, Any]:
        """Send a held order on to packing; after that it can no longer be changed."""
        number, order = self._order(order_id, "held")
        order["status"] = "packed"
        return {"order_id": number, "status": "packed"}

    @effect
    def send_mail(
        self,
        to: Annotated[str, "Mail address"],
        template: Annotated[Literal["invoice", "confirmation", "refund_notice"], "What to send"],
        order_id: OrderId,
    ) -> dict[str, Any]:
        """Mail a customer about an order; the mail shows the order as it is at that moment."""
        number, order = self._order(order_id)
        shows = {key: order[key] for key in ("status", "total", "refunded")}
        self.state["mails"].append({"to": to, "template": template, "order_id": number, "shows": shows})
        return {"sent": template}

    @effect
    def open_ticket(
        self,
        customer: Customer,
        topic: Annotated[Literal["damage", "delivery", "product", "praise"], "What it is about"],
        orders: Annotated[list[str], "Order numbers it concerns"],
        priority: Annotated[Literal["normal", "high"], "How soon"] = "normal",
    ) -> dict[str, Any]:
        """Hand a matter to a colleague."""
        number, numbers = self._customer(customer), [self._order(order)[0] for order in orders]
        self.state["tickets"].append({"customer_id": number, "topic": topic, "orders": numbers, "priority": priority})
        return {"ticket": f"T-{len(self.state['tickets'])}"}

    # Helpers

    def _order(self, order_id: str, *statuses: str) -> tuple[str, dict[str, Any]]:
        """Find an order, whatever the case of its number; with statuses, it must be in one of them."""
        number = order_id.upper()
        order = self.state["orders"].get(number)
        if order is None:
            raise ShopError(f"no order {order_id}")
        if statuses and order["status"] not in statuses:
            raise ShopError(f"{number} is {order['status']}, not {' or '.join(statuses)}")
        return number, order

    def _customer(self, customer: str) -> str:
        for number, known in self.state["customers"].items():
            if customer in (number, known["mail"]):
                return str(number)
        raise ShopError(f"no customer {customer}")

    def _move_stock(self, items: dict[str, int], *, back: bool = False) -> None:
        for sku, pieces in items.items():
            self.state["stock"][sku] += pieces if back else -pieces


def _price(items: dict[str, int]) -> float:
    return round(sum(PRODUCTS[sku][2] * pieces for sku, pieces in items.items()), 2)


def _discounted(total: float, percent: int) -> float:
    return round(total * (100 - percent) / 100, 2)


TOOLS = {name: describe(method) for name, method in vars(Shop).items() if hasattr(method, "effect")}
